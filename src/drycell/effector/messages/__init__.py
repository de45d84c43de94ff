"""Messages between controlling programs and devices: their format, their meaning, and mailboxes in cell time.

The package knows the kernel's clock, but no devices, worlds or wires; framing and connections are in ``effector.link``.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.effector.messages.mailboxes import (
        COMMAND as COMMAND,
        MailboxClient as MailboxClient,
        MailboxPair as MailboxPair,
        find_pair as find_pair,
    )
    from drycell.effector.messages.message import (
        LAST_SEQUENCE as LAST_SEQUENCE,
        MEANING as MEANING,
        REALS as REALS,
        UNDISTURBED as UNDISTURBED,
        ZEROS as ZEROS,
        Answer as Answer,
        Code as Code,
        LinkDisturbance as LinkDisturbance,
        LinkTrouble as LinkTrouble,
        Malformed as Malformed,
        Message as Message,
        MessageRefused as MessageRefused,
        Refusal as Refusal,
        Tally as Tally,
        Traffic as Traffic,
        Watcher as Watcher,
        advice as advice,
        refuse as refuse,
    )
    from drycell.effector.messages.vocabulary import (
        GRIPPER as GRIPPER,
        PAD as PAD,
        VOCABULARY as VOCABULARY,
        WRIST as WRIST,
        CommandEntry as CommandEntry,
        DeviceTable as DeviceTable,
        Handling as Handling,
        Real as Real,
        ReplyEntry as ReplyEntry,
        TableEntry as TableEntry,
        Vocabulary as Vocabulary,
        device_table as device_table,
        pack_proximity as pack_proximity,
        print_table as print_table,
        unpack_proximity as unpack_proximity,
    )
    from drycell.effector.messages.vocabulary_file import load_vocabulary as load_vocabulary
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
