use std::time::Duration;

/// A time since 1970 as ISO 8601, in milliseconds of UTC.
pub(crate) fn iso_8601(since_1970: Duration) -> String {
    const DAY: u64 = 24 * 3600;
    // To the end of the year 9999.
    let seconds = since_1970.as_secs().min(253_402_300_799);
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let millis = since_1970.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day since 1970. Years are counted from March here, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    const FOUR_CENTURIES: u64 = 146_097;
    // Since 1 March of the year 0.
    let days = days.saturating_add(719_468);
    let (eras, day) = (days.div_euclid(FOUR_CENTURIES), days.rem_euclid(FOUR_CENTURIES));
    let leap_days = (day / 1460).saturating_add(day / 146_096).saturating_sub(day / 36_524);
    let year = day.saturating_sub(leap_days) / 365;
    let before = year.saturating_mul(365).saturating_add(year / 4).saturating_sub(year / 100);
    let day = day.saturating_sub(before);
    // 153 days are five months from March or August on.
    let month = day.saturating_mul(5).saturating_add(2) / 153;
    let before = month.saturating_mul(153).saturating_add(2) / 5;
    let day = day.saturating_sub(before).saturating_add(1);
    let year = eras.saturating_mul(400).saturating_add(year);
    if month < 10 {
        (year, month.saturating_add(3), day)
    } else {
        (year.saturating_add(1), month.saturating_sub(9), day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seconds: u64, expected: &str) {
        assert_eq!(iso_8601(Duration::new(seconds, 7_900_000)), expected);
    }

    #[test]
    fn times_are_written_as_iso_8601() {
        check(0, "1970-01-01T00:00:00.007Z");
        check(86_399, "1970-01-01T23:59:59.007Z");
        check(951_782_399, "2000-02-28T23:59:59.007Z");
        check(951_782_400, "2000-02-29T00:00:00.007Z");
        check(951_868_800, "2000-03-01T00:00:00.007Z");
        check(1_785_196_800, "2026-07-28T00:00:00.007Z");
        check(1_798_761_599, "2026-12-31T23:59:59.007Z");
        check(4_107_542_400, "2100-03-01T00:00:00.007Z");
        check(u64::MAX, "9999-12-31T23:59:59.007Z");
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(0);
        for days in 1..200_000 {
            let (year, month, day) = date(days);
            let follows = [
                (year, month, day.saturating_sub(1)) == before,
                day == 1 && (year, month.saturating_sub(1)) == (before.0, before.1),
                (month, day) == (1, 1) && before == (year.saturating_sub(1), 12, 31),
            ];
            assert!(follows.contains(&true) && day <= 31, "{before:?} {year} {month} {day}");
            before = (year, month, day);
        }
    }
}
