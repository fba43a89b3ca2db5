! Words of a text, dealt out to the ranks, counted and brought back in order: strings, Scatterv,
! Gatherv, a probe for whoever is first.  The module mpi_f08.
program words
  use mpi_f08
  implicit none
  integer, parameter :: width = 8, many = 500
  character(len=width) :: list(many), mine(many), back(many)
  integer :: rank, size, i, index, counts(0:255), starts(0:255), own, total, got
  integer, asynchronous :: vowels
  type(MPI_Datatype) :: word
  type(MPI_Request) :: request
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Type_contiguous(width, MPI_CHARACTER, word)
  call MPI_Type_commit(word)
  if (rank == 0) then
    do i = 1, many
      list(i) = spelled(i * 7919)
    end do
  end if
  do i = 0, size - 1
    starts(i) = i * many / size
    counts(i) = (i + 1) * many / size - starts(i)
  end do
  own = counts(rank)
  call MPI_Scatterv(list, counts, starts, word, mine, own, word, 0, MPI_COMM_WORLD)
  vowels = 0
  do i = 1, own
    vowels = vowels + count([(scan(mine(i)(index:index), 'aeiou') > 0, index = 1, width)])
    mine(i) = mirrored(mine(i))
  end do
  call MPI_Gatherv(mine, own, word, back, counts, starts, word, 0, MPI_COMM_WORLD)
  call MPI_Isend(vowels, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, request)
  if (rank == 0) then
    total = 0
    do i = 1, size
      call MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status)
      call MPI_Recv(got, 1, MPI_INTEGER, status%MPI_SOURCE, 4, MPI_COMM_WORLD, status)
      total = total + got
    end do
    print '(a,i6)', 'vowels:', total
    print '(5a10)', back(1), back(2), back(many / 2), back(many - 1), back(many)
    print '(a,l2)', 'all are mirrored:', all([(back(i) == mirrored(list(i)), i = 1, many)])
  end if
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Type_free(word)
  call MPI_Finalize()

contains

  function spelled(number) result(text)
    integer, intent(in) :: number
    character(len=width) :: text
    integer :: k, rest
    rest = modulo(number * 31 + 17, 1000003)
    do k = 1, width
      text(k:k) = achar(iachar('a') + modulo(rest + 5 * k, 26))
      rest = modulo(rest * 17 + 5, 1000003)
    end do
  end function spelled

  function mirrored(text) result(other)
    character(len=width), intent(in) :: text
    character(len=width) :: other
    integer :: k
    do k = 1, width
      other(k:k) = text(width + 1 - k:width + 1 - k)
    end do
  end function mirrored
end program words
