"""Real forks for tests: run something in a child and bring home what came of it."""

import os
import pickle
import signal
import warnings


def in_fork(work, seconds=30):
    """What `work()` gives in a forked child, or the error it ends with. A child that hangs is killed by its own alarm."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            try:
                outcome = work()
            except BaseException as error:
                outcome = error
            os.write(theirs, pickle.dumps(outcome))
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        payload = pipe.read()
    _, status = os.waitpid(child, 0)
    assert 0 == status, f"the child ended with {os.waitstatus_to_exitcode(status)}"
    return pickle.loads(payload)
