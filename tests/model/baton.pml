/* The baton (nicemu/core/baton.h, nicemu.h nic_try_enter and nic_leave, core/host.c nic_submit,
 * core/thread.c serve_while_away): who steps the NIC, and no command is left behind.
 *
 * Base: one host thread that submits two commands, and the NIC thread, which comes by a few times
 * for reasons of its own.  Nobody is inside with another, and when all is quiet every command has
 * been executed.
 *
 * Weak memory: a host thread's stores to host_in, and with which it gives the lock among hosts
 * back, go through a FIFO buffer of its own.  Its fences and locked instructions wait until that is
 * empty, membarrier, of the NIC thread and of one of several hosts that leaves a command, until
 * that of each has been.  A command pushed becomes visible late, and its cell after that; so does,
 * in a mutant, thread_in. */
#define NO_MEMBARRIER 1     /* mutant: the NIC thread fences only itself */
#define NO_SUBMIT_FENCE 2 /* mutant: of several hosts one leaves a command and does not fence */
#define NO_THREAD_FENCE 3 /* mutant: the thread looks for commands before its giving up is seen */
#define NO_THREAD_LOOK 4    /* mutant: the NIC thread sleeps without a look for commands */
#define NO_SECOND_TRY 5     /* mutant: a host that leaves a command does not try again */
#define NO_LEAVE_LOOK 6 /* mutant: several hosts, and one that leaves does not look for commands */
#define NO_FAIL_LOOK 7 /* mutant: of several hosts one had the lock in vain and does not look */
#define NO_HOST_LOCK 8      /* mutant: several hosts that do not settle it among themselves */
#define LOOK_FIRST 9        /* mutant: a host looks at thread_in before it sets host_in */
#define SHARED_ALONE 10     /* mutant: several hosts, and the NIC thread fences only itself */
#define OWN_FENCE 11 /* mutant: of several hosts one leaves a command and fences only itself */
#define UNFENCED 12  /* mutant: several hosts, no membarrier, and who leaves does not fence */
#define FENCED 20           /* variant: no membarrier, full fences on both sides */
#define SHARED 21           /* variant: two host threads */
#define SHARED_FENCED 22    /* variant: the same without membarrier */

#define HOSTS 2
#define COMMANDS 2
#define VISITS 3
#define FULL_FENCES (m == FENCED || m == SHARED_FENCED || m == UNFENCED)
#define MANY_HOSTS (m == SHARED || m == SHARED_FENCED || m == NO_LEAVE_LOOK || m == NO_FAIL_LOOK \
                    || m == NO_HOST_LOCK || m == NO_SUBMIT_FENCE || m == SHARED_ALONE \
                    || m == OWN_FENCE || m == UNFENCED)
#define SLOW (MANY_HOSTS || m == FENCED)        /* nic_try_enter_slow */

bool host_in, thread_in, host_lock, thread_giving, many;
byte pushed, filled, executed, inside, hosts_gone;
byte pushing[HOSTS];                    /* stores of a push to come: its number, its cell */
mtype = { IN, LOCK };
chan buffer[HOSTS] = [3] of { mtype, bool };    /* stores to host_in and host_lock */

#define PENDING (pushed != executed)

inline fence() { empty(buffer[me]) && pushing[me] == 0 }
inline membarrier() { fence(); empty(buffer[0]); empty(buffer[1]) }

proctype store_buffers(byte me)
{
    bool value;
end: do
    :: atomic { buffer[me] ? [IN, value] -> buffer[me] ? IN, value; host_in = value; value = false }
    :: atomic { buffer[me] ? [LOCK, value] -> buffer[me] ? LOCK, value; host_lock = false;
                value = false }
    :: atomic { pushing[me] == 2 -> pushed++; pushing[me] = 1 }
    :: atomic { pushing[me] == 1 -> filled++; pushing[me] = 0 }
    od
}

inline come_in() { inside++; assert(inside == 1) }
inline go_out() { inside-- }

/* All that are pushed; one that is being pushed is waited for. */
inline execute()
{
    do
    :: PENDING -> executed < filled; executed++
    :: else -> break
    od
}

inline give()
{
    buffer[me] ! IN, false;
    if :: MANY_HOSTS -> buffer[me] ! LOCK, false :: else fi
}

inline look_at_thread()
{
    if :: m == LOOK_FIRST -> seen = thread_in :: else fi;
    buffer[me] ! IN, true;
    if :: FULL_FENCES || (!MANY_HOSTS && queued) -> fence() :: else fi;
    if :: m == LOOK_FIRST :: else -> seen = thread_in fi
}

/* nic_try_enter, with nic_try_enter_slow for what is queued or shared. */
inline try_enter()
{
    do
    :: entered = true;
        if
        :: MANY_HOSTS && m != NO_HOST_LOCK ->
            fence();
            atomic { if :: host_lock -> entered = false :: else -> host_lock = true fi }
        :: else
        fi;
        if :: !entered -> break :: else fi;
        look_at_thread();
        if
        :: !seen ->
            come_in();
            if :: SLOW || queued -> queued = false; execute() :: else fi;
            break
        :: else
        fi;
        give();
        entered = false;
        if :: !MANY_HOSTS || m == NO_FAIL_LOOK -> break :: else fi;
        fence();
        if :: !PENDING -> break :: else fi;
        if :: thread_in -> break :: else fi
    od
}

inline leave()
{
    go_out();
    give();
    if :: MANY_HOSTS && m != NO_LEAVE_LOOK -> leave_shared() :: else fi
}

inline leave_shared()
{
    if :: m == SHARED_FENCED -> fence() :: else fi;
    do
    :: PENDING -> try_enter(); if :: entered -> go_out(); give() :: else -> break fi
    :: else -> break
    od
}

inline leave_command()
{
    pushing[me] == 0 -> pushing[me] = 2;
    queued = true;
    if
    :: m == NO_SUBMIT_FENCE
    :: m == OWN_FENCE || FULL_FENCES || !MANY_HOSTS -> fence()
    :: else -> membarrier()
    fi;
    if :: m == NO_SECOND_TRY :: else -> try_enter(); if :: entered -> leave() :: else fi fi
}

proctype host(byte me; byte m; byte commands)
{
    bool entered, queued, seen;

    do
    :: commands == 0 -> break
    :: else ->
        commands--;
        try_enter();
        if
        :: entered -> leave()       /* it executes the command itself */
        :: else -> leave_command()
        fi
    od;
    hosts_gone++
}

proctype thread_buffer()
{
end: do :: atomic { thread_giving -> thread_in = false; thread_giving = false } od
}

inline thread_give()
{
    if :: m == NO_THREAD_FENCE -> thread_giving = true :: else -> thread_in = false fi
}

proctype nic_thread(byte m)
{
    byte visits;

    do
    :: visits < VISITS ->
        visits++;                   /* rung */
look:   !thread_giving;
        thread_in = true;
        if
        :: m == NO_MEMBARRIER || m == SHARED_ALONE || FULL_FENCES
        :: else -> empty(buffer[0]); empty(buffer[1])
        fi;
        if
        :: !host_in ->
            come_in();
            if :: PENDING && executed < filled -> executed++ :: else fi;
            go_out();
            thread_give()
        :: else -> thread_give()
        fi;
        if :: m != NO_THREAD_LOOK && PENDING -> goto look :: else fi
    :: break
    od
}

/* When all is quiet. */
proctype judge()
{
    timeout -> assert(!PENDING && hosts_gone == (many -> HOSTS : 1))
}

init
{
    byte m;
    atomic {
        c_code { Pinit->m = mutant(); };
        many = MANY_HOSTS;
        run host(0, m, (many -> 1 : COMMANDS));
        run store_buffers(0);
        if :: many -> run host(1, m, 1); run store_buffers(1) :: else fi;
        run nic_thread(m); run thread_buffer(); run judge()
    }
}
