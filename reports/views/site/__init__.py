"""A site of static files from any number of results: what works where.

Each device of a results file is a *column*. Its parts are files that pages load when they are looked at, each a script
that hands over compressed JSON, because a page that is opened from a folder may load scripts and nothing else. A column
has a folder of its own, named by what it is made of, so that adding a run writes one folder and the index. All text
from results stays text, as on the report of a run (`reports.views.report`), whose style and scripts the site shares.
"""

from reports.views.site.build import address_of_comparison, build

__all__ = ["address_of_comparison", "build"]
