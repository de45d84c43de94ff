"""Campaigns: a cell run many times with different seeds and as several variants, on this machine or on a cluster, and
what the runs say about the cell. The package may use all packages below it; it knows no kind of thing.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.campaign import cluster as cluster
    from drycell.campaign.campaign import (
        Campaign as Campaign,
        CampaignProgress as CampaignProgress,
        CampaignSession as CampaignSession,
    )
    from drycell.campaign.design import exchanged as exchanged, seeds as seeds, varied as varied
    from drycell.campaign.page import html_page as html_page
    from drycell.campaign.results import Results as Results
    from drycell.campaign.store import CampaignError as CampaignError
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
