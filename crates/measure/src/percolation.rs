//! Clusters of grains that touch and share a property, and whether they reach across (P4 section 5).

use crate::solid_fraction::box_of_grains;
use crate::{End, Packing, Unavailable};

/// The clusters of the grains that have a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// How many grains have the property.
    pub grains: usize,
    /// The numbers of grains in the clusters, largest first.
    pub sizes: Vec<usize>,
    /// For each axis if a cluster reaches across: round a period, or from one side to the other.
    pub percolates: [bool; 3],
    /// For each grain the number of its cluster, in the order of `sizes`; none for grains without the property.
    pub cluster: Vec<Option<u32>>,
}

/// The clusters of grains with a property, joined by bearing contacts.
///
/// Along a periodic axis a cluster percolates if it is joined to its own image; along any other if it has grains within
/// half a mean diameter of both sides of the packing. Those are its outermost grains, since cohesive packings may stand off
/// their walls.
pub fn clusters(packing: &Packing, has: impl Fn(usize) -> bool) -> Result<Clusters, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let count = packing.grains.len();
    let mut forest = Forest::new(count);
    let mut wraps = vec![[false; 3]; count];
    for contact in contacts.iter().filter(|contact| contact.bears()) {
        let [End::Grain(a), End::Grain(b)] = contact.ends else { continue };
        let (a, b) = (a as usize, b as usize);
        if !has(a) || !has(b) {
            continue;
        }
        // How many periods the image of b that a touches is away from b itself.
        let branch = contact.branch();
        let periods: [i64; 3] = std::array::from_fn(|axis| {
            if packing.is_periodic(axis) {
                let apart = packing.grains[a].position[axis] + branch[axis] - packing.grains[b].position[axis];
                (apart / packing.period[axis]).round() as i64
            } else {
                0
            }
        });
        if let Some((root, around)) = forest.join(a, b, periods) {
            for axis in 0..3 {
                wraps[root][axis] |= around[axis] != 0;
            }
        }
    }

    let roots: Vec<Option<usize>> = (0..count).map(|row| has(row).then(|| forest.root(row).0)).collect();
    let mut sizes = vec![0_usize; count];
    // Trees that were joined after they had been found to wrap hand this on to the root.
    let mut around = vec![[false; 3]; count];
    for row in 0..count {
        let root = forest.root(row).0;
        for axis in 0..3 {
            around[root][axis] |= wraps[row][axis];
        }
        if let Some(root) = roots[row] {
            sizes[root] += 1;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|&root| sizes[root] > 0).collect();
    order.sort_by_key(|&root| (std::cmp::Reverse(sizes[root]), root));
    let mut rank = vec![0_u32; count];
    for (place, &root) in order.iter().enumerate() {
        rank[root] = place as u32;
    }
    let percolates = std::array::from_fn(|axis| match axis {
        _ if axis >= packing.dimension || order.is_empty() => false,
        _ if packing.is_periodic(axis) => order.iter().any(|&root| around[root][axis]),
        _ => reaches_across(packing, axis, &roots),
    });
    Ok(Clusters {
        grains: order.iter().map(|&root| sizes[root]).sum(),
        sizes: order.iter().map(|&root| sizes[root]).collect(),
        percolates,
        cluster: roots.into_iter().map(|root| root.map(|root| rank[root])).collect(),
    })
}

fn reaches_across(packing: &Packing, axis: usize, roots: &[Option<usize>]) -> bool {
    let around = box_of_grains(packing);
    let (low, high) = (around.low[axis], around.high[axis]);
    let near = packing.mean_radius();
    let mut sides = vec![[false; 2]; roots.len()];
    for (grain, root) in packing.grains.iter().zip(roots) {
        if let Some(root) = *root {
            sides[root][0] |= grain.position[axis] - grain.radius - low <= near;
            sides[root][1] |= high - grain.position[axis] - grain.radius <= near;
        }
    }
    sides.iter().any(|side| side == &[true, true])
}

/// Trees of grains, each with how many periods it is away from its parent.
struct Forest {
    parent: Vec<(usize, [i64; 3])>,
}

impl Forest {
    fn new(count: usize) -> Forest {
        Forest { parent: (0..count).map(|row| (row, [0; 3])).collect() }
    }

    /// The root of a grain's tree, and how many periods the grain's image in it is away from the grain itself.
    fn root(&mut self, row: usize) -> (usize, [i64; 3]) {
        let mut path = Vec::new();
        let mut at = row;
        while self.parent[at].0 != at {
            path.push(at);
            at = self.parent[at].0;
        }
        let mut sum = [0; 3];
        for &node in path.iter().rev() {
            let step = self.parent[node].1;
            sum = std::array::from_fn(|axis| sum[axis] + step[axis]);
            self.parent[node] = (at, sum);
        }
        (at, sum)
    }

    /// Joins the trees of `a` and of the image of `b` that is `periods` away. If they are one tree already, gives back
    /// its root and how many periods the way round is away from closing.
    fn join(&mut self, a: usize, b: usize, periods: [i64; 3]) -> Option<(usize, [i64; 3])> {
        let ((root_a, of_a), (root_b, of_b)) = (self.root(a), self.root(b));
        // The place of b in the tree of a.
        let wanted: [i64; 3] = std::array::from_fn(|axis| of_a[axis] + periods[axis]);
        let apart = std::array::from_fn(|axis| wanted[axis] - of_b[axis]);
        if root_a == root_b {
            return Some((root_a, apart));
        }
        self.parent[root_b] = (root_a, apart);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{periodic_square_lattice, square_lattice};

    #[test]
    fn rows_of_a_lattice_percolate_along_themselves_only() {
        // Every second row of a periodic lattice: three clusters that go round along x.
        let packing = Packing::of(&periodic_square_lattice(6, [1.0, 1.0]));
        let found = clusters(&packing, |row| (row / 6) % 2 == 0).unwrap();
        assert_eq!((found.sizes.as_slice(), found.percolates), (&[6, 6, 6][..], [true, false, false]));
        // A row with a hole does not close, though it reaches from side to side of the first period.
        let broken = clusters(&packing, |row| row < 6 && row != 3).unwrap();
        assert_eq!((broken.sizes.as_slice(), broken.percolates), (&[5][..], [false; 3]));
        let all = clusters(&packing, |_| true).unwrap();
        assert_eq!((all.sizes.as_slice(), all.percolates), (&[36][..], [true, true, false]));
    }

    #[test]
    fn without_periods_a_cluster_percolates_from_side_to_side() {
        let packing = Packing::of(&square_lattice(5));
        let row = clusters(&packing, |row| row / 5 == 2).unwrap();
        assert_eq!((row.sizes.as_slice(), row.percolates), (&[5][..], [true, false, false]));
        let column = clusters(&packing, |row| row % 5 == 1).unwrap();
        assert_eq!(column.percolates, [false, true, false]);
        let half = clusters(&packing, |row| row % 5 == 1 && row < 15).unwrap();
        assert_eq!((half.grains, half.percolates, half.cluster[1]), (3, [false; 3], Some(0)));
    }

    #[test]
    fn a_diagonal_that_closes_after_both_periods_percolates_along_both() {
        // A staircase: right, up, right, up … closes after a period along x and one along y.
        let packing = Packing::of(&periodic_square_lattice(4, [1.0, 1.0]));
        let found = clusters(&packing, |row| {
            let (x, y) = (row % 4, row / 4);
            x == y || x == (y + 1) % 4
        });
        assert_eq!(found.unwrap().percolates, [true, true, false]);
    }
}
