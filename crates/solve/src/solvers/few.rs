//! The few contacts that hold most of an error, where there are such (docs/solvers.md, "Patches").

/// The places that together have a share of the squared error, worst first, if there is one and at most `most` of them do.
pub fn few(errors: &[f64], share: f64, most: usize) -> Option<Vec<u32>> {
    let sum: f64 = errors.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    let most = most.min(errors.len());
    let mut places: Vec<u32> = (0..errors.len() as u32).collect();
    // The larger error first; of equal ones the earlier place, so that the choice repeats.
    let order = |a: &u32, b: &u32| errors[*b as usize].total_cmp(&errors[*a as usize]).then(a.cmp(b));
    if most < places.len() {
        places.select_nth_unstable_by(most, order);
        places.truncate(most);
    }
    places.sort_unstable_by(order);
    let mut left = share * sum;
    let count = places.iter().position(|&place| {
        left -= errors[place as usize];
        left <= 0.0
    })? + 1;
    places.truncate(count);
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_found_only_where_they_hold_most_of_the_error() {
        let mut errors = vec![1e-3; 1000];
        assert_eq!(few(&errors, 0.8, 30), None);
        for place in [7, 500, 501] {
            errors[place] = 2.0 + place as f64;
        }
        // 9 + 502 + 503 of 1015: two of them are enough, and one is not.
        assert_eq!(few(&errors, 0.8, 30), Some(vec![501, 500]));
        assert_eq!(few(&errors, 0.8, 1), None);
        errors[7] = 1e6;
        assert_eq!(few(&errors, 0.8, 1), Some(vec![7]));
        assert_eq!(few(&[1.0, 1.0], 0.8, 30), Some(vec![0, 1]));
        assert_eq!(few(&[0.0, 0.0], 0.8, 30), None);
        assert_eq!(few(&[], 0.8, 30), None);
    }
}
