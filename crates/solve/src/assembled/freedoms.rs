//! A global problem swept without `W`: velocities of the freedoms are updated in place.
//!
//! With `M = L Lᵀ`, group by group of coupled freedoms, and `h = L⁻¹ H`, `y = Lᵀ v`, both maps are one:
//!
//! ```text
//!   y = h r + L⁻¹ f,    u = hᵀ y + w
//! ```
//!
//! so a contact needs its part of `h` only, and no body has to be recognised in the freedoms.

use super::breadth_first::visit_order;
use super::cone::{Limits, natural_map_square};
use super::contact::{OneContact, progress, visit_all};
use super::mass::Factors;
use super::residual::{Units, quotient};
use super::solve::ResidualKind;
use super::watch::{Assembled, REFRESH};
use super::{GlobalProblem, SparseMatrix};
use crate::sweep::{Extrapolation, Measure, OrderedSweeps, SweepStats, Sweeps, move_by};

/// A contact's part of `h`, and where it acts.
#[derive(Clone, Debug)]
pub struct Map<const S: usize, const K: usize> {
    /// Its freedoms, padded by the one that moves nothing.
    pub freedoms: [u32; K],
    h: [[f64; S]; K],
}

/// A global problem whose contacts touch at most `K` freedoms each, in units of the problem, and a state.
pub struct Freedoms<const S: usize, const K: usize> {
    /// What impulses and velocities were divided by.
    pub units: Units,
    factors: Factors,
    /// Where each freedom is kept.
    places: Vec<u32>,
    maps: Vec<Map<S, K>>,
    contacts: Vec<OneContact<S>>,
    shift: Vec<[f64; S]>,
    /// `Σ q²` in units of the problem, and in those of its owner.
    q_square: [f64; 2],
    /// `L⁻¹ f`, and a last freedom that nothing moves.
    free: Vec<f64>,
    y: Vec<f64>,
    r: Vec<[f64; S]>,
    /// Which contact of the problem each one here is.
    order: Vec<u32>,
    permutation: Vec<u32>,
    /// Visits since velocities were computed from scratch.
    visits: usize,
}

/// Problems with more contacts than this are visited layer by layer instead of in the order given: smaller ones fit into the
/// cache in any order.
const REORDERED: usize = 3000;

/// A place for each freedom, in the order in which contacts come to them; the one that moves nothing is last.
fn places<const S: usize, const K: usize>(maps: &[Map<S, K>], freedoms: usize) -> Vec<u32> {
    let mut places = vec![u32::MAX; freedoms + 1];
    places[freedoms] = freedoms as u32;
    let mut next = 0;
    let touched = maps.iter().flat_map(|map| map.freedoms);
    for freedom in touched.chain(0..freedoms as u32) {
        if places[freedom as usize] == u32::MAX {
            places[freedom as usize] = next;
            next += 1;
        }
    }
    places
}

/// Impulses of contacts and velocities of freedoms: of all, or of a part.
#[derive(Clone, Debug, Default)]
pub struct FreedomState<const S: usize> {
    r: Vec<[f64; S]>,
    y: Vec<f64>,
}

impl<const S: usize, const K: usize> Map<S, K> {
    /// The part of `h = L⁻¹ H` of one contact, whose columns of `H` are rows of `columns`; `None` if it touches more than `K`
    /// freedoms. `row_of` is scratch space of one number per freedom.
    fn new(factors: &Factors, columns: &SparseMatrix, contact: usize, row_of: &mut [usize]) -> Option<Self> {
        let rows = contact * S..(contact + 1) * S;
        let mut groups: Vec<u32> =
            rows.clone().flat_map(|row| columns.row(row)).map(|(k, _)| factors.group_of[k]).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut map = Map { freedoms: [row_of.len() as u32; K], h: [[0.0; S]; K] };
        let touched = groups.iter().flat_map(|&group| factors.freedoms(group as usize));
        for (row, &freedom) in touched.enumerate() {
            *map.freedoms.get_mut(row)? = freedom;
            row_of[freedom as usize] = row;
        }
        for (i, row) in rows.enumerate() {
            for (freedom, value) in columns.row(row) {
                map.h[row_of[freedom]][i] = value;
            }
        }
        let mut start = 0;
        for &group in &groups {
            let end = start + factors.freedoms(group as usize).len();
            factors.divide(group as usize, &mut map.h[start..end]);
            start = end;
        }
        Some(map)
    }

    /// Multiplies each column of `h` by its scale.
    fn scale(&mut self, scale: &[f64; S]) {
        for h in &mut self.h {
            for i in 0..S {
                h[i] *= scale[i];
            }
        }
    }

    /// The block `hᵀ h` of the contact on the diagonal of `W`, by columns.
    fn block(&self) -> [[f64; S]; S] {
        let mut block = [[0.0; S]; S];
        for h in &self.h {
            for j in 0..S {
                for i in 0..S {
                    block[j][i] += h[i] * h[j];
                }
            }
        }
        block
    }
}

/// The units of a problem with these maps, from the diagonal of `W`.
fn units_of<const S: usize, const K: usize>(maps: &[Map<S, K>]) -> Units {
    let mut traces = [0.0; 2];
    for h in maps.iter().flat_map(|map| &map.h) {
        for i in 0..S {
            traces[usize::from(i >= 3)] += h[i] * h[i];
        }
    }
    Units::from_traces(S, traces, maps.len())
}

/// `L⁻¹ f` by the places of the freedoms, with a zero for the one that moves nothing.
fn placed_free_velocity(factors: &Factors, momentum: &[f64], places: &[u32], scale: f64) -> Vec<f64> {
    let mut free = momentum.to_vec();
    free.push(0.0);
    factors.divide_vector(&mut free);
    let mut placed = vec![0.0; free.len()];
    for (&place, y) in places.iter().zip(free) {
        placed[place as usize] = y * scale;
    }
    placed
}

impl<const S: usize, const K: usize> Freedoms<S, K> {
    /// Lays out a problem that has passed its check, without impulses; `None` if its mass matrix is not symmetric and
    /// positive, or a contact touches too many freedoms.
    pub fn new(problem: &GlobalProblem) -> Option<Self> {
        let factors = Factors::new(&problem.m, K)?;
        let (freedoms, contacts) = (problem.m.rows, problem.friction.len());
        let columns = problem.h.transposed();
        let mut row_of = vec![0; freedoms];
        let mut maps: Vec<Map<S, K>> =
            (0..contacts).map(|contact| Map::new(&factors, &columns, contact, &mut row_of)).collect::<Option<_>>()?;

        let mut order: Vec<u32> = (0..contacts as u32).collect();
        if contacts > REORDERED {
            order = visit_order(&maps, freedoms as u32);
            maps = order.iter().map(|&contact| maps[contact as usize].clone()).collect();
        }
        // Freedoms are kept in the order in which contacts come to them.
        let places = places(&maps, freedoms);
        for map in &mut maps {
            map.freedoms = map.freedoms.map(|freedom| places[freedom as usize]);
        }

        let units = units_of(&maps);
        let root = units.w.sqrt();
        let scale: [f64; S] = std::array::from_fn(|i| units.velocity(i) / root);
        let free = placed_free_velocity(&factors, &problem.f, &places, root);
        let mut state = Freedoms {
            units,
            factors,
            places,
            maps,
            contacts: Vec::with_capacity(contacts),
            shift: Vec::with_capacity(contacts),
            q_square: [0.0; 2],
            y: free.clone(),
            free,
            r: vec![[0.0; S]; contacts],
            order,
            permutation: (0..contacts as u32).collect(),
            visits: 0,
        };
        for place in 0..contacts {
            let contact = state.order[place] as usize;
            state.maps[place].scale(&scale);
            let rolling = problem.rolling.get(contact).map_or(0.0, |rolling| rolling / units.length);
            let limits = Limits { friction: problem.friction[contact], rolling };
            state.contacts.push(OneContact::new(state.maps[place].block(), limits));
            state.shift.push(std::array::from_fn(|i| problem.w[contact * S + i] * units.velocity(i)));
            let q = state.velocity(place);
            for i in 0..S {
                state.q_square[0] += q[i] * q[i];
                state.q_square[1] += (q[i] / units.velocity(i)).powi(2);
            }
        }
        Some(state)
    }

    /// The velocities of the freedoms, in the units of the problem's owner.
    pub fn motion(&self) -> Vec<f64> {
        let root = self.units.w.sqrt();
        let mut v: Vec<f64> = self.places.iter().map(|&place| self.y[place as usize] / root).collect();
        self.factors.divide_transposed(&mut v);
        v.pop();
        v
    }

    /// About how many blocks `W` would have beside its diagonal: contacts that share a freedom, counted once for each body.
    pub fn count(&self) -> usize {
        let mut contacts = vec![0usize; self.y.len()];
        for map in &self.maps {
            for &freedom in &map.freedoms {
                contacts[freedom as usize] += 1;
            }
        }
        let moved = &contacts[..self.y.len() - 1];
        // Bodies have half as many freedoms as a contact touches.
        moved.iter().map(|count| count * count.saturating_sub(1)).sum::<usize>() / (K / 2)
    }

    #[inline]
    fn velocity(&self, contact: usize) -> [f64; S] {
        let map = &self.maps[contact];
        let mut u = self.shift[contact];
        for k in 0..K {
            let y = self.y[map.freedoms[k] as usize];
            for i in 0..S {
                u[i] += map.h[k][i] * y;
            }
        }
        u
    }

    #[inline]
    fn give(&mut self, contact: usize, change: &[f64; S]) {
        let map = &self.maps[contact];
        for k in 0..K {
            let mut sum = 0.0;
            for i in 0..S {
                sum += map.h[k][i] * change[i];
            }
            self.y[map.freedoms[k] as usize] += sum;
        }
    }

    #[inline]
    fn visit(&mut self, contact: usize, stats: &mut SweepStats) {
        let one = &self.contacts[contact];
        let old = self.r[contact];
        let mut free = self.velocity(contact);
        for j in 0..S {
            for i in 0..S {
                free[i] -= one.block[j][i] * old[j];
            }
        }
        let new = one.solve(&free, &old);
        let change: [f64; S] = std::array::from_fn(|i| new[i] - old[i]);
        let square: f64 = change.iter().map(|x| x * x).sum();
        stats.change += square;
        stats.size += new.iter().map(|x| x * x).sum::<f64>();
        stats.normal += new[0];
        if square != 0.0 {
            self.r[contact] = new;
            self.give(contact, &change);
        }
    }
}

impl<const S: usize, const K: usize> Sweeps for Freedoms<S, K> {
    type Iterate = FreedomState<S>;

    fn len(&self) -> usize {
        self.r.len()
    }

    fn listed_sweep(&mut self, contacts: impl Iterator<Item = usize>, _: Measure) -> SweepStats {
        visit_all(contacts, |contact, stats| {
            self.visit(contact, stats);
            self.visits += 1;
        })
    }

    fn rest(&mut self) {
        if self.visits >= REFRESH * self.r.len() {
            self.refresh();
        }
    }

    fn save_impulses(&self, iterate: &mut FreedomState<S>) {
        iterate.r.clone_from(&self.r);
    }

    fn save_velocities(&self, iterate: &mut FreedomState<S>) {
        iterate.y.clone_from(&self.y);
    }

    fn progress_against(&self, y: &FreedomState<S>, r: &FreedomState<S>) -> f64 {
        progress(&self.contacts, &self.r, &y.r, &r.r)
    }

    fn extrapolate(&mut self, extrapolation: Extrapolation, y: &FreedomState<S>, r: &mut FreedomState<S>) {
        extrapolation.advance(self.r.as_flattened_mut(), y.r.as_flattened(), r.r.as_flattened_mut());
        extrapolation.advance(&mut self.y, &y.y, &mut r.y);
    }

    fn move_by(&mut self, part: f64, from: &FreedomState<S>, to: &FreedomState<S>) {
        move_by(self.r.as_flattened_mut(), part, from.r.as_flattened(), to.r.as_flattened());
        move_by(&mut self.y, part, &from.y, &to.y);
    }
}

impl<const S: usize, const K: usize> OrderedSweeps for Freedoms<S, K> {
    fn permutation(&mut self) -> &mut Vec<u32> {
        &mut self.permutation
    }
}

impl<const S: usize, const K: usize> Assembled for Freedoms<S, K> {
    fn residual(&mut self, kind: ResidualKind) -> f64 {
        let scaled = kind == ResidualKind::Scaled;
        let units = if scaled { Units::PLAIN } else { self.units };
        let mut error = 0.0;
        let mut sizes = [self.q_square[usize::from(!scaled)], 0.0, 0.0];
        for contact in 0..self.r.len() {
            let velocity = self.velocity(contact);
            let r: [f64; S] = std::array::from_fn(|i| self.r[contact][i] / units.impulse(i));
            let u: [f64; S] = std::array::from_fn(|i| velocity[i] / units.velocity(i));
            let limits = self.contacts[contact].limits;
            error += natural_map_square(&r, &u, Limits { rolling: limits.rolling * units.length, ..limits });
            for i in 0..S {
                sizes[1] += r[i] * r[i];
                sizes[2] += u[i] * u[i];
            }
        }
        quotient(error, sizes)
    }

    fn refresh(&mut self) {
        self.visits = 0;
        self.y.clone_from(&self.free);
        for contact in 0..self.r.len() {
            let r = self.r[contact];
            if r != [0.0; S] {
                self.give(contact, &r);
            }
        }
    }

    fn restore(&mut self, iterate: &FreedomState<S>) {
        self.r.clone_from(&iterate.r);
        self.y.clone_from(&iterate.y);
    }

    fn set_impulses(&mut self, impulse: &[f64]) {
        for (r, &contact) in self.r.iter_mut().zip(&self.order) {
            *r = std::array::from_fn(|i| impulse[contact as usize * S + i] * self.units.impulse(i));
        }
        self.refresh();
    }

    fn impulses(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.r.len() * S];
        for (r, &contact) in self.r.iter().zip(&self.order) {
            for i in 0..S {
                all[contact as usize * S + i] = r[i] / self.units.impulse(i);
            }
        }
        all
    }

    fn velocities(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.r.len() * S];
        for (place, &contact) in self.order.iter().enumerate() {
            let u = self.velocity(place);
            for i in 0..S {
                all[contact as usize * S + i] = u[i] / self.units.velocity(i);
            }
        }
        all
    }
}
