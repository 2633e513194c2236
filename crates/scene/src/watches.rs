//! What can end a stage besides its duration, its strain and rest: signs of failure, and what is in a part of space.

use crate::Scene;
use crate::fault::Collector;
use crate::model::{Place, Watch};
use crate::vector::*;
use riprap_engine::{AnyWorld, Dim, Status, StepReport, Vector, World, for_any_world};

/// A [`Watch`], and what it remembers since the stage began.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Watched {
    pub watch: Watch,
    /// Since when it holds, if it does (s).
    since: Option<f64>,
    /// The centre of mass of a group at the start; of an energy the threshold (J).
    start: [f64; 3],
    /// True once the contact or force that may be lost has been there.
    armed: bool,
}

impl Watched {
    /// The start of a stage; `weight_times_diameter` is `m g d` of the mean grain.
    pub fn start<D: Dim>(watch: &Watch, world: &World<D>, weight_times_diameter: f64) -> Self {
        let start = match watch {
            Watch::Displacement { group, .. } => centre(world, group.as_deref()),
            Watch::Energy { energy } => [*energy, 0.0, 0.0],
            Watch::EnergyOverMgd { part } => [part * weight_times_diameter, 0.0, 0.0],
            _ => [0.0; 3],
        };
        Watched { watch: watch.clone(), since: None, start, armed: false }
    }

    /// True if it has held for the time `hold` with this step, or need not last.
    pub fn ends<D: Dim>(&mut self, world: &World<D>, report: &StepReport, hold: f64) -> bool {
        let time = world.state.time;
        let holds = self.holds(world, report);
        self.since = holds.then(|| self.since.map_or(time, |since| since.min(time)));
        self.since.is_some_and(|since| !self.watch.lasts() || time - since >= hold)
    }

    fn holds<D: Dim>(&mut self, world: &World<D>, report: &StepReport) -> bool {
        match &self.watch {
            Watch::Energy { .. } | Watch::EnergyOverMgd { .. } => {
                let grains = world.bodies.iter().filter(|body| body.is_free()).count().max(1);
                report.energy.kinetic / grains as f64 > self.start[0]
            }
            Watch::Displacement { group, axis, distance } => {
                let moved = sub(centre(world, group.as_deref()), self.start);
                axis.map_or(length(moved), |axis| moved[axis].abs()) > *distance
            }
            Watch::ContactLost { between } => {
                let touch = touch(world, between);
                self.armed |= touch;
                self.armed && !touch
            }
            Watch::ForceLost { wall, force } => {
                let loads = world.wall_loads();
                let load = loads.iter().find(|load| world.bodies[load.body as usize].name.as_deref() == Some(wall));
                let carried = load.map_or(0.0, |load| load.force.length());
                self.armed |= carried >= *force;
                self.armed && carried < *force
            }
            Watch::Inside { place, group, number, mass, below, .. } => {
                let (count, sum) = inside(world, place, group.as_deref());
                let is_beyond = |found: f64, limit: f64| if *below { found < limit } else { found > limit };
                number.is_some_and(|limit| is_beyond(count, limit)) || mass.is_some_and(|limit| is_beyond(sum, limit))
            }
        }
    }

    /// Why it could not hold, if what may be lost has never been there.
    pub fn never_armed(&self) -> Option<String> {
        match &self.watch {
            _ if self.armed => None,
            Watch::ContactLost { between: [a, b] } => Some(format!("\"{a}\" and \"{b}\" never touched")),
            Watch::ForceLost { wall, force } => Some(format!("wall \"{wall}\" never carried {force} N")),
            _ => None,
        }
    }

    /// Appends what a checkpoint keeps.
    pub fn put_numbers(&self, numbers: &mut Vec<f64>) {
        numbers.extend([self.since.unwrap_or(f64::INFINITY), f64::from(u8::from(self.armed))]);
        numbers.extend(self.start);
    }

    /// The inverse of [`Watched::put_numbers`], with the numbers that follow; none if there are too few.
    pub fn from_numbers<'a>(watch: &Watch, numbers: &'a [f64]) -> Option<(Self, &'a [f64])> {
        let (&[since, armed, x, y, z], rest) = numbers.split_first_chunk()?;
        let since = Some(since).filter(|since| since.is_finite());
        Some((Watched { watch: watch.clone(), since, start: [x, y, z], armed: armed != 0.0 }, rest))
    }
}

impl Scene {
    /// What is to be in a place can be there: a scene that is not fed has no more than it begins with.
    pub(crate) fn check_contents(&self, world: &AnyWorld, faults: &mut Collector) {
        if self.model.inlets.iter().any(|inlet| inlet.rate.is_some()) {
            return;
        }
        for watch in self.model.stages.iter().flat_map(|stage| &stage.end.watches) {
            let Watch::Inside { at, group, number, mass, below, .. } = watch else { continue };
            let (count, sum) = for_any_world!(world, world => {
                let masses = grains(world, group.as_deref()).map(|body| world.bodies[body].mass);
                masses.fold((0.0, 0.0), |(count, sum), mass| (count + 1.0, sum + mass))
            });
            let (limit, whole) = number.map_or((mass.unwrap_or_default(), sum), |number| (number, count));
            let there = match number {
                Some(_) if count == 1.0 => "there is only 1 grain".into(),
                Some(_) => format!("there are only {count} grains"),
                None => format!("all grains together have only {sum:.3e} kg"),
            };
            if *below && limit > whole {
                faults.add(&at.0, "the stage would end at its first step", there, "give a smaller limit");
            } else if !below && limit >= whole {
                faults.add(&at.0, "this can never end the stage", there, "give a smaller limit");
            }
        }
    }
}

/// The grains of a group, or all of them.
fn grains<'a, D: Dim>(world: &'a World<D>, group: Option<&str>) -> impl Iterator<Item = usize> + 'a {
    // No grain belongs to a group that is not there.
    let group = group.map(|name| world.groups.iter().position(|other| other == name).unwrap_or(usize::MAX));
    let belongs = move |body: &usize| group.is_none_or(|group| usize::from(world.bodies[*body].group) == group);
    world.free_bodies().filter(belongs)
}

/// The centre of mass.
fn centre<D: Dim>(world: &World<D>, group: Option<&str>) -> [f64; 3] {
    let mut sum = (D::Vector::ZERO, 0.0);
    for body in grains(world, group) {
        let mass = world.bodies[body].mass;
        sum = (sum.0 + world.state.position[body] * mass, sum.1 + mass);
    }
    if sum.1 > 0.0 { (sum.0 * (1.0 / sum.1)).to_array3() } else { [0.0; 3] }
}

/// True if a contact between two groups or walls carries a force.
fn touch<D: Dim>(world: &World<D>, between: &[String; 2]) -> bool {
    let is = |body: u32, name: &String| {
        let body = &world.bodies[body as usize];
        match &body.name {
            Some(wall) => **wall == **name,
            None => world.groups.get(usize::from(body.group)) == Some(name),
        }
    };
    let [a, b] = between;
    let mut bearing = world.state.contacts.iter().filter(|contact| contact.status != Status::Open);
    bearing.any(|contact| {
        let [one, two] = contact.bodies;
        is(one, a) && is(two, b) || is(one, b) && is(two, a)
    })
}

/// The number and the mass of the grains in a place.
fn inside<D: Dim>(world: &World<D>, place: &Place, group: Option<&str>) -> (f64, f64) {
    let within = grains(world, group).filter(|&body| place.contains(world.state.position[body].to_array3()));
    within.fold((0.0, 0.0), |(count, mass), body| (count + 1.0, mass + world.bodies[body].mass))
}
