/* The end effector driven from C: plain C99 and sockets, one line of text for each message.
 *
 *   cc -std=c99 -Wall -Wextra -pedantic -o client client.c
 *   ./client unix:gripper.sock           or tcp:127.0.0.1:4711, or tcp:HOST:PORT TOKEN on another host
 *
 * Does what planner.py does: initialises, queues three moves and watches them, grips with limited force, aborts, quits.
 * Exits with 0 on success, otherwise with 1 and the reason.
 */
#define _POSIX_C_SOURCE 200112L

#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { LONGEST = 256, REALS = 6 };
enum { POSITION = 0, FORCE = 3 };               /* kinds of moves */
enum { AT_GAP = 1, AT_FORCE = 2 };              /* what ends a move; the numbers add up */

struct reply {
    char characters[6];                         /* "GPDON": from the gripper, to the planner, done */
    long number;
    double reals[REALS];
};

static FILE *from_device, *to_device;
static long last_number = 0;

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "client: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address;
    int line = socket(AF_UNIX, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path)
        die("the path %s is too long for a socket", path);
    strcpy(address.sun_path, path);
    if (line < 0 || connect(line, (struct sockaddr *)&address, sizeof address) != 0)
        die("nobody listens at %s: start drycell device gripper --socket %s", path, path);
    return line;
}

static int connect_tcp(const char *place)
{
    char host[128];
    const char *colon = strrchr(place, ':');
    struct addrinfo wanted, *found, *each;
    int line = -1;
    if (colon == NULL || (size_t)(colon - place) >= sizeof host)
        die("%s is not HOST:PORT", place);
    memcpy(host, place, (size_t)(colon - place));
    host[colon - place] = '\0';
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, colon + 1, &wanted, &found) != 0)
        die("there is no host %s", host);
    for (each = found; each != NULL; each = each->ai_next) {
        line = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (line >= 0 && connect(line, each->ai_addr, each->ai_addrlen) == 0)
            break;
        if (line >= 0)
            close(line);
        line = -1;
    }
    freeaddrinfo(found);
    if (line < 0)
        die("nobody listens at %s", place);
    return line;
}

/* Sends a command and returns its number; the reply has the same number. */
static long command(const char *letters, double a, double b, double c, double d, double e, double f)
{
    last_number++;
    if (fprintf(to_device, "DRY1 PG%s %ld %.9g %.9g %.9g %.9g %.9g %.9g\n", letters, last_number, a, b, c, d, e, f) < 0 ||
        fflush(to_device) != 0)
        die("the device is gone");
    return last_number;
}

static long ask(const char *letters)
{
    return command(letters, 0, 0, 0, 0, 0, 0);
}

static struct reply receive(void)
{
    char line[LONGEST + 2];
    struct reply reply;
    memset(&reply, 0, sizeof reply);
    if (fgets(line, sizeof line, from_device) == NULL)
        die("the device is gone, or has not answered for 30 s");
    if (strncmp(line, "DRY1 ! ", 7) == 0)
        die("refused: %s", line + 7);
    if (sscanf(line, "DRY1 %5s %ld %lf %lf %lf %lf %lf %lf", reply.characters, &reply.number, &reply.reals[0],
               &reply.reals[1], &reply.reals[2], &reply.reals[3], &reply.reals[4], &reply.reals[5]) != 2 + REALS)
        die("this is not a reply: %s", line);
    return reply;
}

/* Receives until the reply to a command arrives; earlier replies are printed. */
static struct reply wait_for(long number)
{
    for (;;) {
        struct reply reply = receive();
        if (reply.number == number)
            return reply;
        printf("%s %ld arrived in the meantime\n", reply.characters, reply.number);
    }
}

static void done(const char *what, struct reply reply)
{
    if (strcmp(reply.characters, "GPDON") != 0)
        die("%s failed, reason %g", what, reply.reals[0]);
    printf("%s: gap %.1f mm, force %.1f N\n", what, reply.reals[0] * 1e3, reply.reals[1]);
}

int main(int count, char **words)
{
    const double gaps[3] = {0.060, 0.030, 0.045};
    struct timeval patience = {30, 0};
    long moves[3], open_moves, grip, dropped;
    struct reply reply;
    int line, i;

    if (count < 2 || count > 3)
        die("usage: client unix:PATH | tcp:HOST:PORT [TOKEN]");
    if (strncmp(words[1], "unix:", 5) == 0)
        line = connect_unix(words[1] + 5);
    else if (strncmp(words[1], "tcp:", 4) == 0)
        line = connect_tcp(words[1] + 4);
    else
        die("%s is neither unix:PATH nor tcp:HOST:PORT", words[1]);
    setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    from_device = fdopen(line, "r");
    to_device = fdopen(dup(line), "w");
    if (from_device == NULL || to_device == NULL)
        die("no memory for a connection");
    if (count == 3)
        fprintf(to_device, "DRY1 TOKEN %s\n", words[2]);

    done("initialised", wait_for(ask("INI")));

    for (i = 0; i < 3; i++)
        moves[i] = command("MOV", POSITION, gaps[i], 0, AT_GAP, 0, 0);
    ask("STA");
    for (open_moves = 3; open_moves > 0;) {
        reply = receive();
        if (strcmp(reply.characters, "GPSTA") == 0) {
            printf("status, %ld moves open: gap %.1f mm, target %.1f mm\n", open_moves, reply.reals[0] * 1e3,
                   reply.reals[1] * 1e3);
        } else if (reply.number == moves[3 - open_moves]) {
            done("moved", reply);
            open_moves--;
            if (open_moves > 0)
                ask("STA");
        } else {
            die("%s %ld belongs to nothing that was asked", reply.characters, reply.number);
        }
    }

    grip = command("MOV", FORCE, 0, 0.02, AT_GAP + AT_FORCE, 15, 0);
    done("gripped", wait_for(grip));

    grip = command("MOV", POSITION, 0.060, 0.005, AT_GAP, 0, 0);
    dropped = ask("ABT");
    reply = wait_for(grip);
    printf("not done: %s, reason %g\n", reply.characters, reply.reals[0]);
    reply = wait_for(dropped);
    printf("aborted: %g commands dropped\n", reply.reals[1]);

    reply = wait_for(ask("QUI"));
    printf("quit: %s\n", reply.characters);
    fclose(to_device);
    fclose(from_device);
    return 0;
}
