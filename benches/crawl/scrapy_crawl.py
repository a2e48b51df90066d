"""Scrapy over the bench's site: 32 concurrent requests, following every link, keeping nothing.

    scrapy_crawl.py SEED

Prints a JSON object. Whatever would slow it down and is not asked of it (robots.txt, logs, the telnet console, delays)
is off.
"""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

SETTINGS = {
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class SiteSpider(scrapy.Spider):
    name = "site"

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    async def start(self):
        # Not `start_urls`: that exempts the seed from the filter of duplicates, and a link to it would fetch it again.
        yield scrapy.Request(self.seed)

    def parse(self, response):
        yield from response.follow_all(css="a")


def main():
    process = CrawlerProcess(SETTINGS)
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, seed=sys.argv[1])
    process.start()
    counts = crawler.stats.get_stats()
    print(json.dumps({"pages": counts.get("downloader/response_status_count/200", 0)}))


if __name__ == "__main__":
    main()
