"""Messages between controlling programs and devices: their shape, what they mean, and mailboxes in cell time.

Knows the kernel's clock and nothing of devices, worlds or wires; framings and connections are in ``protocols``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.effector.messages.disturbance import CALM as CALM, Disturbance as Disturbance, Trouble as Trouble
    from drycell.effector.messages.mailboxes import (
        COMMAND as COMMAND,
        Desk as Desk,
        Envelope as Envelope,
        MailboxPair as MailboxPair,
        find_pair as find_pair,
    )
    from drycell.effector.messages.message import (
        LAST_SEQUENCE as LAST_SEQUENCE,
        REALS as REALS,
        ZEROS as ZEROS,
        Message as Message,
    )
    from drycell.effector.messages.printing import print_table as print_table
    from drycell.effector.messages.proximity import (
        pack_proximity as pack_proximity,
        unpack_proximity as unpack_proximity,
    )
    from drycell.effector.messages.refusal import (
        MEANING as MEANING,
        Code as Code,
        Malformed as Malformed,
        MessageRefused as MessageRefused,
        Refusal as Refusal,
        Tally as Tally,
        advice as advice,
        refuse as refuse,
    )
    from drycell.effector.messages.table import (
        GRIPPER as GRIPPER,
        PAD as PAD,
        PLANNER as PLANNER,
        VOCABULARY as VOCABULARY,
        WRIST as WRIST,
    )
    from drycell.effector.messages.traffic import Answer as Answer, Traffic as Traffic, Watcher as Watcher
    from drycell.effector.messages.vocabulary import (
        Command as Command,
        DeviceTable as DeviceTable,
        Entry as Entry,
        Handling as Handling,
        Real as Real,
        Reply as Reply,
        Vocabulary as Vocabulary,
    )
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
