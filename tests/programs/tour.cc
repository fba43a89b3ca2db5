// MPI from C++: vectors and lambdas, threads that each have a communicator, exceptions made of
// error codes, a handler of our own, and profiling: this program's MPI_Send counts and calls
// PMPI_Send.
// Rank 0 prints one line if all is right.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> sends{0};

class Error : public std::runtime_error {
public:
    explicit Error(int code) : std::runtime_error(text(code)), code_(code) {}
    int code() const { return code_; }

private:
    static std::string text(int code)
    {
        std::array<char, MPI_MAX_ERROR_STRING> buffer;
        int length = 0;
        PMPI_Error_string(code, buffer.data(), &length);
        return std::string(buffer.data(), static_cast<std::size_t>(length));
    }
    int code_;
};

void check(int code)
{
    if (code != MPI_SUCCESS)
        throw Error(code);
}

void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "tour: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

// A communicator that frees itself.
class Comm {
public:
    explicit Comm(MPI_Comm of) { check(MPI_Comm_dup(of, &comm_)); }
    Comm(const Comm &) = delete;
    Comm &operator=(const Comm &) = delete;
    ~Comm() { MPI_Comm_free(&comm_); }
    MPI_Comm get() const { return comm_; }
    int rank() const { return ask(MPI_Comm_rank); }
    int size() const { return ask(MPI_Comm_size); }

private:
    int ask(const std::function<int(MPI_Comm, int *)> &what) const
    {
        int answer = -1;
        check(what(comm_, &answer));
        return answer;
    }
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// Numbers go around the ring of ranks until each has seen all.
std::vector<int> around(const Comm &comm, int first)
{
    const int size = comm.size(), next = (comm.rank() + 1) % size;
    const int previous = (comm.rank() + size - 1) % size;
    std::vector<int> seen(static_cast<std::size_t>(size));
    seen[0] = first;
    for (std::size_t i = 1; i < seen.size(); i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv(&seen[i], 1, MPI_INT, previous, 3, comm.get(), &request));
        check(MPI_Send(&seen[i - 1], 1, MPI_INT, next, 3, comm.get()));
        check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    return seen;
}

void largest(void *in, void *inout, int *count, MPI_Datatype *)
{
    const int *a = static_cast<const int *>(in);
    int *b = static_cast<int *>(inout);
    std::transform(a, a + *count, b, b, [](int x, int y) { return std::max(x, y); });
}

void reductions(const Comm &comm)
{
    std::vector<int> mine(100), most(100);
    std::iota(mine.begin(), mine.end(), 100 * comm.rank());
    MPI_Op op = MPI_OP_NULL;
    check(MPI_Op_create(largest, 1, &op));
    check(MPI_Allreduce(mine.data(), most.data(), 100, MPI_INT, op, comm.get()));
    check(MPI_Op_free(&op));
    require(most[7] == 100 * (comm.size() - 1) + 7, "a reduction is wrong");
    bool all = comm.rank() >= 0, any = false;
    check(MPI_Allreduce(&all, &any, 1, MPI_CXX_BOOL, MPI_LAND, comm.get()));
    require(any, "a logical reduction is wrong");
}

void threads(int provided)
{
    const int count = provided == MPI_THREAD_MULTIPLE ? 3 : 1;
    std::vector<Comm *> comms;
    for (int i = 0; i < count; i++)
        comms.push_back(new Comm(MPI_COMM_WORLD));
    std::vector<std::thread> running;
    std::atomic<int> right{0};
    for (int i = 0; i < count; i++)
        running.emplace_back([&, i] {
            const Comm &comm = *comms[static_cast<std::size_t>(i)];
            const std::vector<int> seen = around(comm, 10 * comm.rank() + i);
            right += std::all_of(seen.begin(), seen.end(), [&](int x) { return x % 10 == i; });
        });
    for (std::thread &thread : running)
        thread.join();
    require(right == count, "a thread has seen something else");
    for (Comm *comm : comms)
        delete comm;
}

std::atomic<int> handled{0};
void handler(MPI_Comm *, int *code, ...) { handled = *code; }

void errors(const Comm &comm)
{
    int own = 0, caught = MPI_SUCCESS, value = 0;
    check(MPI_Comm_set_errhandler(comm.get(), MPI_ERRORS_RETURN));
    try {
        check(MPI_Send(&value, 1, MPI_INT, comm.size() + 1, 0, comm.get()));
    } catch (const Error &e) {
        caught = e.code();
        require(std::string(e.what()).find("MPI_ERR_RANK") == 0, "an error has another text");
    }
    require(caught == MPI_ERR_RANK, "an error was not caught");
    check(MPI_Add_error_class(&own));
    check(MPI_Add_error_string(own, "ours"));
    MPI_Errhandler eh = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_create_errhandler(handler, &eh));
    check(MPI_Comm_set_errhandler(comm.get(), eh));
    check(MPI_Errhandler_free(&eh));
    check(MPI_Comm_call_errhandler(comm.get(), own));
    require(handled == own, "the handler has got another code");
    require(std::string(Error(own).what()) == "ours", "our error has another text");
}

}  // namespace

extern "C" int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int main(int argc, char **argv)
{
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    {
        Comm comm(MPI_COMM_WORLD);
        std::vector<int> seen = around(comm, comm.rank());
        std::sort(seen.begin(), seen.end());
        std::vector<int> ranks(seen.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        require(seen == ranks, "a rank is missing");
        require(sends == comm.size() - 1, "the profiled MPI_Send was not called");
        reductions(comm);
        threads(provided);
        errors(comm);
        if (comm.rank() == 0)
            std::printf("tour: all is right\n");
    }
    MPI_Finalize();
    return 0;
}
