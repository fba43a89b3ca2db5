C     Primes and their gaps: ranks take numbers in turn, a reduction of
C     our own merges what they found.  mpif.h, in fixed form.
      PROGRAM PRIMES
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER LAST
      PARAMETER (LAST = 20000)
      INTEGER IERR, RANK, SIZE, I, N, OP, MINE(3), ALL(3)
      INTEGER STATUS(MPI_STATUS_SIZE), TOKEN, K
      INTEGER MARKS(0:LAST), MERGED(0:LAST), BEFORE
      LOGICAL PRIME
      EXTERNAL PRIME, WIDEST

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, IERR)
      DO 10 I = 0, LAST
         MARKS(I) = 0
   10 CONTINUE
      N = 0
      DO 20 I = 2 + RANK, LAST, SIZE
         IF (PRIME(I)) THEN
            MARKS(I) = 1
            N = N + 1
         END IF
   20 CONTINUE
      CALL MPI_ALLREDUCE(MARKS, MERGED, LAST + 1, MPI_INTEGER, MPI_MAX,
     &     MPI_COMM_WORLD, IERR)
      MINE(1) = 0
      MINE(2) = 0
      MINE(3) = N
      DO 40 I = 2 + RANK, LAST, SIZE
         IF (MERGED(I) .EQ. 0) GO TO 40
         BEFORE = I - 1
   30    IF (BEFORE .GT. 1 .AND. MERGED(BEFORE) .EQ. 0) THEN
            BEFORE = BEFORE - 1
            GO TO 30
         END IF
         IF (BEFORE .GT. 1 .AND. I - BEFORE .GT. MINE(1)) THEN
            MINE(1) = I - BEFORE
            MINE(2) = BEFORE
         END IF
   40 CONTINUE
      CALL MPI_OP_CREATE(WIDEST, .TRUE., OP, IERR)
      CALL MPI_REDUCE(MINE, ALL, 3, MPI_INTEGER, OP, 0,
     &     MPI_COMM_WORLD, IERR)
      CALL MPI_OP_FREE(OP, IERR)
      IF (RANK .EQ. 0) THEN
         PRINT '(A,I6)', 'primes:', ALL(3)
         PRINT '(A,I6,A,I6)', 'widest gap:', ALL(1), ' behind', ALL(2)
      END IF
C     A token goes round and adds up.
      TOKEN = 1
      K = MOD(RANK + SIZE - 1, SIZE)
      IF (RANK .NE. 0) CALL MPI_RECV(TOKEN, 1, MPI_INTEGER, K, 1,
     &     MPI_COMM_WORLD, STATUS, IERR)
      DO 50 I = 2 + RANK, LAST, SIZE
         TOKEN = MOD(TOKEN + MOD(MERGED(I) * I * 7, 10007), 10007)
   50 CONTINUE
      K = MOD(RANK + 1, SIZE)
      IF (SIZE .GT. 1) CALL MPI_SEND(TOKEN, 1, MPI_INTEGER, K, 1,
     &     MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0 .AND. SIZE .GT. 1) THEN
         CALL MPI_RECV(TOKEN, 1, MPI_INTEGER, SIZE - 1, MPI_ANY_TAG,
     &        MPI_COMM_WORLD, STATUS, IERR)
         IF (STATUS(MPI_SOURCE) .NE. SIZE - 1) TOKEN = -1
      END IF
      IF (RANK .EQ. 0) PRINT '(A,I6)', 'token:', TOKEN
      CALL MPI_FINALIZE(IERR)
      END

      LOGICAL FUNCTION PRIME(N)
      INTEGER N, D
      PRIME = .TRUE.
      DO 10 D = 2, INT(SQRT(REAL(N)))
         IF (MOD(N, D) .EQ. 0) PRIME = .FALSE.
   10 CONTINUE
      END

C     The widest gap, of two as wide the first; numbers are added.
      SUBROUTINE WIDEST(IN, INOUT, LEN, TYPE)
      INTEGER LEN, TYPE, IN(LEN), INOUT(LEN)
      IF (IN(1) .GT. INOUT(1) .OR. IN(1) .EQ. INOUT(1) .AND.
     &    IN(2) .LT. INOUT(2)) THEN
         INOUT(1) = IN(1)
         INOUT(2) = IN(2)
      END IF
      INOUT(3) = INOUT(3) + IN(3)
      END
