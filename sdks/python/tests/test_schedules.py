import unittest
from datetime import UTC, datetime, timedelta, timezone

from duetime import InvalidInput
from duetime._schedules import with_schedule


class Schedules(unittest.TestCase):
    def test_what_contradicts_itself_is_refused(self) -> None:
        for fields in (
            {"at": "2030-01-31T09:00:00Z", "after": timedelta(1)},
            {"schedule": "PT1H", "execute_at": "2030-01-31T09:00:00Z"},
            {"times": 3},
            {"after": timedelta(1), "start": "2030-01-31T09:00:00Z"},
            {"every": timedelta(1), "times": 0},
            {"after": timedelta(-1)},
            {"after": 5},
            {"at": datetime(2030, 1, 31)},
        ):
            with self.assertRaises(InvalidInput, msg=str(fields)):
                with_schedule(fields)

    def test_times_are_written_as_the_service_takes_them(self) -> None:
        berlin = timezone(timedelta(hours=1))
        for fields, expected in (
            ({"at": datetime(2030, 1, 31, 10, tzinfo=berlin)}, {"execute_at": "2030-01-31T09:00:00.000Z"}),
            ({"after": timedelta(days=3)}, {"schedule": "PT259200S"}),
            ({"after": timedelta(milliseconds=1500)}, {"schedule": "PT1.5S"}),
            ({"after": timedelta(0)}, {"schedule": "PT0S"}),
            ({"after": "P1M"}, {"schedule": "P1M"}),
            ({"every": timedelta(minutes=10), "times": 3}, {"schedule": "R3/PT600S"}),
            (
                {"every": "P1D", "start": datetime(2030, 1, 31, 9, tzinfo=UTC)},
                {"schedule": "R/2030-01-31T09:00:00.000Z/P1D"},
            ),
            ({"payload": None}, {"payload": None}),
        ):
            self.assertEqual(with_schedule(fields), expected)
