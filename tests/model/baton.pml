/* The baton (nicemu/core/baton.h, nicemu.h nic_try_enter and nic_leave, core/host.c nic_submit,
 * core/thread.c serve_while_away): who steps the NIC, and no command is left behind.
 *
 * Base: one host thread that submits two commands, and the NIC thread, which comes by a few times
 * for reasons of its own.  Nobody is inside with another, and when all is quiet every command has
 * been executed.
 *
 * Weak memory: the stores to host_in of a single host thread go through a FIFO buffer, which fences
 * and the NIC thread's membarrier wait to be empty.  A command pushed becomes visible late, and its
 * cell after that; so does, in a mutant, thread_in. */
#define NO_MEMBARRIER 1     /* mutant: the NIC thread fences only itself */
#define NO_SUBMIT_FENCE 2 /* mutant: of several hosts one leaves a command and does not fence */
#define NO_THREAD_FENCE 3 /* mutant: the thread looks for commands before its giving up is seen */
#define NO_THREAD_LOOK 4    /* mutant: the NIC thread sleeps without a look for commands */
#define NO_SECOND_TRY 5     /* mutant: a host that leaves a command does not try again */
#define NO_LEAVE_LOOK 6 /* mutant: several hosts, and one that leaves does not look for commands */
#define NO_FAIL_LOOK 7 /* mutant: of several hosts one had the lock in vain and does not look */
#define NO_HOST_LOCK 8      /* mutant: several hosts that do not settle it among themselves */
#define LOOK_FIRST 9        /* mutant: a host looks at thread_in before it sets host_in */
#define FENCED 20           /* variant: no membarrier, full fences on both sides */
#define SHARED 21           /* variant: two host threads */

#define HOSTS 2
#define COMMANDS 2
#define VISITS 3
#define MANY_HOSTS (m == SHARED || m == NO_LEAVE_LOOK || m == NO_FAIL_LOOK \
                    || m == NO_HOST_LOCK || m == NO_SUBMIT_FENCE)
#define SLOW (MANY_HOSTS || m == FENCED)

bool host_in, thread_in, host_lock, thread_giving, many;
byte pushed, filled, executed, inside, hosts_gone;
byte pushing[HOSTS];                    /* stores of a push to come: its number, its cell */
chan buffer = [2] of { bool };          /* stores to host_in of a single host */

#define PENDING (pushed != executed)

inline set_host_in(value) { if :: SLOW -> host_in = value :: else -> buffer ! value fi }
inline fence() { empty(buffer) && pushing[me] == 0 }

proctype store_buffers(byte me)
{
    bool value;
end: do
    :: atomic { me == 0 && buffer ? [value] -> buffer ? value; host_in = value; value = false }
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
    set_host_in(false);
    if :: MANY_HOSTS -> host_lock = false :: else fi
}

inline look_at_thread()
{
    if :: m == LOOK_FIRST -> seen = thread_in :: else fi;
    set_host_in(true);
    if :: SLOW || queued -> fence() :: else fi;
    if :: m == LOOK_FIRST :: else -> seen = thread_in fi
}

/* nic_try_enter, with nic_try_enter_slow for what is queued or shared. */
inline try_enter()
{
    do
    :: entered = true;
        if
        :: MANY_HOSTS && m != NO_HOST_LOCK ->
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
    fence();
    do
    :: PENDING -> try_enter(); if :: entered -> go_out(); give() :: else -> break fi
    :: else -> break
    od
}

inline leave_command()
{
    pushing[me] == 0 -> pushing[me] = 2;
    queued = true;
    if :: m == NO_SUBMIT_FENCE :: else -> fence() fi;
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
        if :: m == NO_MEMBARRIER || SLOW :: else -> empty(buffer) fi;
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
