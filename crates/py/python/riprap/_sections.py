"""The sections of a scene as methods, written by ``cargo xtask docs`` from the description of the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import NDArray

Number = float | str
"""A number in SI units, or text with a unit: ``"1.2 mm"``."""
List = Sequence[Any] | NDArray[Any]
"""A list or an array."""


class Sections:
    """What a scene can hold. Every argument is a key of the scene file; one that is left out has its default."""

    def _start(self, given: dict[str, Any]) -> None:
        raise NotImplementedError

    def _append(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def _name(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def _merge(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def __init__(
        self,
        *,
        title: str | None = None,
        dimension: int | None = None,
        method: str | None = None,
        seed: int | None = None,
        domain: Mapping[str, Any] | None = None,
        cell: Mapping[str, Any] | None = None,
        materials: Mapping[str, Any] | None = None,
        pairs: List | None = None,
        grains: List | None = None,
        inlets: List | None = None,
        outlets: List | None = None,
        gauges: List | None = None,
        walls: List | None = None,
        drivers: List | None = None,
        loads: List | None = None,
        springs: List | None = None,
        membranes: List | None = None,
        liquid: Mapping[str, Any] | None = None,
        bonds: List | None = None,
        solver: Mapping[str, Any] | None = None,
        acd2: Mapping[str, Any] | None = None,
        md: Mapping[str, Any] | None = None,
        stages: List | None = None,
        outputs: Mapping[str, Any] | None = None,
    ) -> None:
        """A scene from its keys and sections.

        title: A one-line description of the scene. Default: "".
        dimension: 2 for disks and polygons, 3 for spheres and polyhedra.
        method: The simulation method. The rest of the scene need not change, provided that the method supports
            its laws. Default: "cd".
        seed: The seed of all random numbers in the scene. Default: 1.
        domain: Gravity and periodic directions.
        cell: How the periodic cell deforms.
        materials: Materials of grains and walls, with their contact laws.
        pairs: Contact laws between two different materials.
        grains: The grains at the start, as one or more samples. Required unless there are inlets.
        inlets: Where grains are fed.
        outlets: Where grains leave.
        gauges: Surfaces through which the flow is measured.
        walls: Walls; fixed unless driven.
        drivers: Motion of walls.
        loads: External forces and torques on grains.
        springs: Springs between grains.
        membranes: Flexible chains of grains that apply a confining pressure. 2D only.
        liquid: Capillary liquid between grains.
        bonds: Cemented contacts between grains.
        solver: Numerical settings.
        acd2: Settings for A-CD².
        md: Settings for molecular dynamics (soft contacts).
        stages: The stages of the run, in order.
        outputs: Output files and intervals.
        """
        self._start(locals())

    def domain(
        self,
        *,
        gravity: List | Number | None = None,
        tilt: Mapping[str, Any] | None = None,
        ground_acceleration: List | None = None,
        periodic: Mapping[str, Any] | None = None,
        origin: List | None = None,
        thickness: Number | None = None,
    ) -> Self:
        """Gravity and periodic directions.

        gravity: A magnitude, acting downwards (-y in 2D, -z in 3D), or a vector. Default: 9.81.
        tilt: Rotates gravity over time.
        ground_acceleration: The acceleration of the ground, such as an accelerogram along each axis. The scene
            is then seen from the ground: walls stay where they are, and the opposite acceleration acts on the
            grains in addition to gravity. A driver with an `acceleration` moves one wall instead.
        periodic: The period along each periodic axis.
        origin: The lower corner of the periodic cell. Default: [0, 0] in 2D, [0, 0, 0] in 3D.
        thickness: Out-of-plane thickness of disks and walls, used for masses and pressures. Default: 1. 2D
            only. (a length, in m if it is a bare number)
        """
        return self._merge("domain", locals())

    def cell(
        self,
        *,
        x: Mapping[str, Any] | None = None,
        y: Mapping[str, Any] | None = None,
        z: Mapping[str, Any] | None = None,
        shear: Mapping[str, Any] | Number | None = None,
        mass: Number | None = None,
    ) -> Self:
        """How the periodic cell deforms.

        x: Control of the length along x; fixed if omitted.
        y: As `x`, along y.
        z: As `x`, along z. 3D only.
        shear: The shear rate: the gradient of the x velocity along the vertical axis (y in 2D, z in 3D).
        mass: Inertia of the cell under pressure control, in units of `m L²/12` with the total grain mass `m`
            and the length `L` of the cell. Default: 1. (a plain number, no unit)
        """
        return self._merge("cell", locals())

    def material(
        self,
        name: str,
        *,
        density: Number | None = None,
        friction: Number | None = None,
        static_friction: Number | None = None,
        dynamic_friction: Number | None = None,
        normal_restitution: Number | None = None,
        tangential_restitution: Number | None = None,
        normal_viscosity: Number | None = None,
        tangential_viscosity: Number | None = None,
        friction_by_speed: Mapping[str, Any] | None = None,
        restitution_by_speed: Mapping[str, Any] | None = None,
        rolling_friction: Mapping[str, Any] | Number | None = None,
        torsion_friction: Mapping[str, Any] | Number | None = None,
        adhesion: Number | None = None,
        cohesion: Mapping[str, Any] | None = None,
        tresca: Number | None = None,
    ) -> Self:
        """Materials of grains and walls, with their contact laws.

        name: The name in [materials].
        density: Required if any grains are made of this material. (a density, in kg/m3 if it is a bare number)
        friction: Coulomb friction coefficient, static and dynamic. (a plain number, no unit)
        static_friction: Friction coefficient of contacts that did not slide in the previous step. (a plain
            number, no unit)
        dynamic_friction: Friction coefficient of contacts that slid in the previous step. (a plain number, no
            unit)
        normal_restitution: Normal restitution `e_n`: rebound speed over impact speed. Default: 0. (a plain
            number, no unit)
        tangential_restitution: Tangential restitution `e_t`. Default: 0. (a plain number, no unit)
        normal_viscosity: `K_N` in the quadratic pseudopotential of A-CD²; a material without it has 0. (a mass,
            in kg if it is a bare number)
        tangential_viscosity: `K_T` in the same pseudopotential; a material without it has 0. (a mass, in kg if
            it is a bare number)
        friction_by_speed: Friction coefficient of sliding contacts as a function of their sliding speed at the
            start of the step; replaces `dynamic_friction`. Contacts that do not slide use `static_friction`, or
            the value at zero speed.
        restitution_by_speed: `e_n` as a function of the approach speed; replaces `normal_restitution`.
        rolling_friction: Limit of the rolling torque divided by the normal force: a length, or a table
            `rolling_friction`.
        torsion_friction: As `rolling_friction`, for the torque about the normal. 3D only.
        adhesion: The largest tension of a closed contact. It has no range, so an impact breaks it, and the
            shorter the time step, the smaller the impact that does. (a force, in N if it is a bare number)
        cohesion: Tension with a finite range. Separating two grains takes a given amount of work, whatever the
            time step.
        tresca: Fixed friction threshold for A-CD², in place of Coulomb's law. (a force, in N if it is a bare
            number)
        """
        return self._name("materials", locals())

    def pair(
        self,
        *,
        materials: List | None = None,
        friction: Number | None = None,
        static_friction: Number | None = None,
        dynamic_friction: Number | None = None,
        normal_restitution: Number | None = None,
        tangential_restitution: Number | None = None,
        normal_viscosity: Number | None = None,
        tangential_viscosity: Number | None = None,
        friction_by_speed: Mapping[str, Any] | None = None,
        restitution_by_speed: Mapping[str, Any] | None = None,
        rolling_friction: Mapping[str, Any] | Number | None = None,
        torsion_friction: Mapping[str, Any] | Number | None = None,
        adhesion: Number | None = None,
        cohesion: Mapping[str, Any] | None = None,
        tresca: Number | None = None,
    ) -> Self:
        """Contact laws between two different materials.

        materials: The names of the two materials.
        friction: Coulomb friction coefficient, static and dynamic. (a plain number, no unit)
        static_friction: Friction coefficient of contacts that did not slide in the previous step. (a plain
            number, no unit)
        dynamic_friction: Friction coefficient of contacts that slid in the previous step. (a plain number, no
            unit)
        normal_restitution: Normal restitution `e_n`: rebound speed over impact speed. (a plain number, no unit)
        tangential_restitution: Tangential restitution `e_t`. (a plain number, no unit)
        normal_viscosity: `K_N` in the quadratic pseudopotential of A-CD²; a material without it has 0. (a mass,
            in kg if it is a bare number)
        tangential_viscosity: `K_T` in the same pseudopotential; a material without it has 0. (a mass, in kg if
            it is a bare number)
        friction_by_speed: Friction coefficient of sliding contacts as a function of their sliding speed at the
            start of the step; replaces `dynamic_friction`. Contacts that do not slide use `static_friction`, or
            the value at zero speed.
        restitution_by_speed: `e_n` as a function of the approach speed; replaces `normal_restitution`.
        rolling_friction: Limit of the rolling torque divided by the normal force: a length, or a table
            `rolling_friction`.
        torsion_friction: As `rolling_friction`, for the torque about the normal. 3D only.
        adhesion: The largest tension of a closed contact. It has no range, so an impact breaks it, and the
            shorter the time step, the smaller the impact that does. (a force, in N if it is a bare number)
        cohesion: Tension with a finite range. Separating two grains takes a given amount of work, whatever the
            time step.
        tresca: Fixed friction threshold for A-CD², in place of Coulomb's law. (a force, in N if it is a bare
            number)
        """
        return self._append("pairs", locals())

    def grains(
        self,
        *,
        sample: str | None = None,
        lattice: str | None = None,
        spacing: Number | None = None,
        jitter: Number | None = None,
        count: int | None = None,
        radius: Mapping[str, Any] | Number | None = None,
        diameter: Mapping[str, Any] | Number | None = None,
        region: Mapping[str, Any] | None = None,
        material: str | None = None,
        group: str | None = None,
        velocity: List | None = None,
        spin: List | Number | None = None,
        shape: Mapping[str, Any] | None = None,
        orientation: str | None = None,
        solid_fraction: Number | None = None,
        cover: Number | None = None,
        positions: List | None = None,
        radii: List | None = None,
        orientations: List | None = None,
        velocities: List | None = None,
        corners: List | None = None,
        path: str | None = None,
        scale: Number | None = None,
        hull: bool | None = None,
        shift: List | None = None,
        lower: List | None = None,
        brick: List | None = None,
        columns: int | None = None,
        courses: int | None = None,
        bond: Number | None = None,
        joint: Number | None = None,
        centre: List | None = None,
        thickness: Number | None = None,
        voussoirs: int | None = None,
        angle: Number | None = None,
        depth: Number | None = None,
        at_rest: bool | None = None,
    ) -> Self:
        """The grains at the start, as one or more samples. Required unless there are inlets.

        sample: "lattice": A regular lattice, filled from the bottom, layer by layer. Sites too close to a wall
            stay empty. "random": A loose random filling by random sequential addition: grains are placed one by
            one, the largest first, at random positions where they touch nothing. Solid fractions up to about
            0.5 in 2D and 0.35 in 3D can be reached; a sample that does not fit is an error. "rain": Layers
            stacked from the bottom of the region upwards, with random positions in each layer; all fall
            together. Above an open container the stack is as high as needed. "list": Individually listed
            grains. "blocks": Convex blocks at their final positions, given by `corners` or read from a file.
            "bricks": Brickwork: a wall in courses, or a tower of single bricks. "arch": An arch of equal,
            straight-edged voussoirs in the x-y plane (x-z in 3D). "voronoi": A region broken into the Voronoi
            cells of random points, like cracked rock. "file": Grains read from a file: CSV with a header
            (`x,y,z,r` and more), LAMMPS data or dump, extended XYZ. "snapshot": Grains from a snapshot of
            another run, with their positions and velocities.
        lattice: (lattice) The kind of lattice. Default: "square" in 2D, "cubic" in 3D.
        spacing: (lattice) The distance between neighbouring sites. Default: 1.001 times the largest diameter.
            (a length, in m if it is a bare number)
        jitter: (lattice) The largest random displacement along each axis; must be too small to cause overlaps.
            Default: 0. (a length, in m if it is a bare number)
        count: (lattice, random, rain, voronoi) The number of grains; if omitted, the region is filled.
        radius: (lattice, random, rain, list, arch) A common radius, or a size distribution. The radius of a
            grain that is not a sphere is the distance from its centre of mass to its farthest point.
        diameter: (lattice, random, rain, list) As `radius`, given as diameters.
        region: (lattice, random, rain, voronoi) The region that contains the grains entirely. Default: the
            inside of the first box or drum, and the full period along periodic axes.
        material: The material. Default: the only material, if there is just one.
        group: A group name for these grains. Default: "grains".
        velocity: (lattice, random, rain, list, blocks, bricks, arch, voronoi) The initial velocity. Default:
            [0, 0] in 2D, [0, 0, 0] in 3D.
        spin: (lattice, random, rain, list, blocks, bricks, arch, voronoi) The initial angular velocity.
            Default: 0 in 2D, [0, 0, 0] in 3D.
        shape: (lattice, random, rain, list) The shape of the grains; spheres (disks in 2D) if omitted.
        orientation: (lattice, random, rain) The orientation of grains that are not spheres. Default: "random".
        solid_fraction: (random) The volume of the grains divided by the volume of the region. (a plain number,
            no unit)
        cover: (rain) The largest fraction of the cross-section covered by the grains of one layer. Default:
            0.3. (a plain number, no unit)
        positions: (list) The centres.
        radii: (list) One radius per grain, instead of `radius`.
        orientations: (list) The orientation of each grain: an angle in 2D; in 3D a vector along the rotation
            axis whose length is the angle.
        velocities: (list) One velocity per grain.
        corners: (blocks) The corners of each block; the block is their convex hull.
        path: (blocks, file, snapshot) An STL or OBJ file; every closed surface in it is a block. 3D only.
        scale: (blocks) Metres per length unit of the file. Default: 1. 3D only. (a plain number, no unit)
        hull: (blocks) Use the convex hull of each surface and ignore its faces. Default: false. 3D only.
        shift: (blocks, bricks, arch, voronoi, file, snapshot) Added to every position. Default: [0, 0] in 2D,
            [0, 0, 0] in 3D.
        lower: (bricks) The lower corner of the first brick.
        brick: (bricks) The edge lengths of a brick along x, y, z.
        columns: (bricks) The number of bricks in a course, along x. Default: 1.
        courses: (bricks) The number of courses.
        bond: (bricks) The fraction of a brick by which every other course is shifted along x; cut bricks close
            its ends. With 0, bricks are stacked directly above each other. Default: 0.5. (a plain number, no
            unit)
        joint: (bricks, voronoi) The gap between neighbours. Default: 0. (a length, in m if it is a bare number)
        centre: (arch) The centre of the circle. Default: [0, 0] in 2D, [0, 0, 0] in 3D.
        thickness: (arch) The thickness of the arch, along the radius. (a length, in m if it is a bare number)
        voussoirs: (arch) The number of blocks, all equal.
        angle: (arch) The angle subtended by the arch at the centre; 180 deg is a semicircle standing on a plane
            through the centre. Default: "180 deg". (an angle, in rad if it is a bare number)
        depth: (arch) The depth along y, centred; the arch lies in the x-z plane. 3D only. (a length, in m if it
            is a bare number)
        at_rest: (file, snapshot) Discard velocities and angular velocities. Default: false.
        """
        return self._append("grains", locals())

    def inlet(
        self,
        name: str,
        *,
        place: Mapping[str, Any] | None = None,
        mass_rate: Mapping[str, Any] | Number | None = None,
        number_rate: Mapping[str, Any] | Number | None = None,
        total_mass: Number | None = None,
        total_number: int | None = None,
        wait: Number | None = None,
        radius: Mapping[str, Any] | Number | None = None,
        diameter: Mapping[str, Any] | Number | None = None,
        material: str | None = None,
        group: str | None = None,
        shape: Mapping[str, Any] | None = None,
        orientation: str | None = None,
        velocity: List | None = None,
        velocity_spread: Number | None = None,
        spin: List | Number | None = None,
        seed: int | None = None,
        stages: List | None = None,
        sizes: List | None = None,
    ) -> Self:
        """Where grains are fed.

        name: The name in output files, and for `to` of an outlet.
        place: Where grains are created: a region that contains them entirely, or a surface that their centres
            are on.
        mass_rate: Mass per time; give this or `number_rate`, or neither for an inlet that only takes grains
            back from an outlet.
        number_rate: Grains per time.
        total_mass: The mass after which no more is fed. (a mass, in kg if it is a bare number)
        total_number: The number of grains after which no more are fed.
        wait: How long what is due may wait for room before it is refused. Default: the time in which a grain
            leaves the inlet. (a time, in s if it is a bare number)
        radius: A common radius, or a size distribution, as in `[[grains]]`.
        diameter: As `radius`, given as diameters.
        material: The material. Default: the only material, if there is just one.
        group: A group name for these grains. Default: "grains".
        shape: The shape of the grains; spheres (disks in 2D) if omitted.
        orientation: The orientation of grains that are not spheres. Default: "random".
        velocity: The velocity at which grains come in. Default: [0, 0] in 2D, [0, 0, 0] in 3D.
        velocity_spread: The largest random deviation of each component of the velocity. Default: 0. (a
            velocity, in m/s if it is a bare number)
        spin: Their angular velocity. Default: 0 in 2D, [0, 0, 0] in 3D.
        seed: The seed. Default: the scene's seed.
        stages: The stages in which grains are fed. Default: all.
        sizes: Diameters that divide the grains into size classes. Default: [].
        """
        return self._append("inlets", locals())

    def outlet(
        self,
        name: str,
        *,
        place: Mapping[str, Any] | None = None,
        to: str | None = None,
        group: str | None = None,
        stages: List | None = None,
        sizes: List | None = None,
    ) -> Self:
        """Where grains leave.

        name: The name in output files.
        place: Where grains leave: beyond a plane, inside a region, or outside a box.
        to: The inlet at which the grains are put back; if omitted, they are deleted.
        group: Only the grains of this group leave.
        stages: The stages in which grains leave. Default: all.
        sizes: Diameters that divide the grains into size classes. Default: [].
        """
        return self._append("outlets", locals())

    def gauge(
        self,
        name: str,
        *,
        place: Mapping[str, Any] | None = None,
        sizes: List | None = None,
    ) -> Self:
        """Surfaces through which the flow is measured.

        name: The name in output files.
        place: A plane, or an opening of limited size. The normal of a plate is to the left of its edge in 2D,
            and along the cross product of its edges in 3D.
        sizes: Diameters that divide the grains into size classes. Default: [].
        """
        return self._append("gauges", locals())

    def wall(
        self,
        name: str,
        *,
        shape: str | None = None,
        material: str | None = None,
        absent: bool | None = None,
        point: List | None = None,
        normal: List | None = None,
        corners: List | None = None,
        centre: List | None = None,
        half_edges: List | None = None,
        lower: List | None = None,
        upper: List | None = None,
        open: List | None = None,
        radius: Number | None = None,
        axis: List | None = None,
        path: str | None = None,
        scale: Number | None = None,
        vertices: List | None = None,
        faces: List | None = None,
        closed: bool | None = None,
    ) -> Self:
        """Walls; fixed unless driven.

        shape: "plane" or "line": An infinite plane (a line in 2D); grains are on the side its normal points to.
            "plate" or "segment": A thin rectangle (a segment in 2D), solid on both sides. Give either
            `corners`, or `centre` and `half_edges`. "box": A container made of planes named NAME.left and
            NAME.right (along x), NAME.front and NAME.back (along y, in 3D), NAME.bottom and NAME.top (along y
            in 2D, z in 3D). Sides perpendicular to a periodic axis are omitted. "drum" or "silo": A hollow
            cylinder (a circle in 2D) with the grains inside. In 3D it has no end caps: close it with planes, or
            make its axis periodic. "rod": A solid cylinder (a disk in 2D) with the grains outside. In 3D it is
            infinitely long. "block": A convex body, the hull of its corners; it rotates about its centre of
            mass. "mesh": A triangulated surface (a polyline in 2D), solid on both sides. In 3D it is read from
            an STL or OBJ file, or given by `vertices` and `faces`; in 2D it is given by `vertices`, joined in
            order.
        name: The name that drivers, stages and outputs use for the wall.
        material: The material. Default: the only material, if there is just one.
        absent: The wall is not there until a stage restores it; until then, grains pass as if there were
            nothing. Default: false.
        point: (plane) A point on the plane.
        normal: (plane) A vector of any length that points towards the grains.
        corners: (plate, block) In 2D the two ends; in 3D one corner and its two neighbours.
        centre: (plate, drum, rod, mesh) The centre.
        half_edges: (plate) Vectors from the centre to the midpoints of adjacent edges: one in 2D, two in 3D.
        lower: (box) The lower corner.
        upper: (box) The upper corner.
        open: (box) Sides to leave out. Default: [].
        radius: (drum, rod) The radius. (a length, in m if it is a bare number)
        axis: (drum, rod) A vector of any length along the axis. 3D only.
        path: (mesh) The file, relative to the folder of the scene. 3D only.
        scale: (mesh) Scale factor for all vertices: metres per length unit of the file. Default: 1. (a plain
            number, no unit)
        vertices: (mesh) The corners.
        faces: (mesh) The vertices of each triangle or convex polygon, numbered from 0. 3D only.
        closed: (mesh) Join the last vertex to the first. Default: false. 2D only.
        """
        return self._append("walls", locals())

    def driver(
        self,
        *,
        wall: str | None = None,
        x: Mapping[str, Any] | None = None,
        y: Mapping[str, Any] | None = None,
        z: Mapping[str, Any] | None = None,
        rotation: Mapping[str, Any] | None = None,
        mass: Number | None = None,
        area: Number | None = None,
    ) -> Self:
        """Motion of walls.

        wall: The name of the wall; the sides of a box are NAME.top etc.
        x: The motion along x.
        y: The motion along y.
        z: The motion along z. 3D only.
        rotation: The rotation about the wall's point or centre.
        mass: The mass of the wall under an imposed force or pressure. Default: the mass of all grains, if a
            force or pressure is imposed. (a mass, in kg if it is a bare number)
        area: The area on which a pressure acts. Default: from the current wall distances or periods
            perpendicular to the axis. (an area, in m2 if it is a bare number)
        """
        return self._append("drivers", locals())

    def load(
        self,
        *,
        group: str | None = None,
        grain: int | None = None,
        force: List | None = None,
        torque: List | Mapping[str, Any] | Number | None = None,
    ) -> Self:
        """External forces and torques on grains.

        group: Select the grains of this group.
        grain: Select one grain by its index, counted from 0.
        force: The force on each grain, for example `["2 mN", 0]`.
        torque: The torque on each grain; a single value in 2D.
        """
        return self._append("loads", locals())

    def spring(
        self,
        *,
        grains: List | None = None,
        stiffness: Number | None = None,
        rest_length: Number | None = None,
    ) -> Self:
        """Springs between grains.

        grains: The indices of the two grains, counted from 0.
        stiffness: Force per change of length. (a stiffness, in N/m if it is a bare number)
        rest_length: The unstressed length; if omitted, the distance between centres at touch. (a length, in m
            if it is a bare number)
        """
        return self._append("springs", locals())

    def membrane(
        self,
        *,
        group: str | None = None,
        towards: List | None = None,
        pressure: Mapping[str, Any] | Number | None = None,
        stiffness: Number | None = None,
        rest_length: Number | None = None,
        stage: str | None = None,
    ) -> Self:
        """Flexible chains of grains that apply a confining pressure. 2D only.

        group: The group of grains that forms the chain.
        towards: The direction in which the pressure pushes.
        pressure: The pressure over time.
        stiffness: The stiffness of the springs between neighbours. Default: 0. (a stiffness, in N/m if it is a
            bare number)
        rest_length: The unstressed length of these springs; if omitted, the distance between centres at touch.
            (a length, in m if it is a bare number)
        stage: The stage at whose start the membrane begins to act and its time starts; the first if omitted.
        """
        return self._append("membranes", locals())

    def liquid(
        self,
        *,
        water_content: Number | None = None,
        volume: Number | None = None,
        density: Number | None = None,
        surface_tension: Number | None = None,
        contact_angle: Number | None = None,
        bridges: str | None = None,
    ) -> Self:
        """Capillary liquid between grains.

        water_content: The mass of the liquid divided by the mass of the grains. (a plain number, no unit)
        volume: The total volume of the liquid. (a volume, in m3 if it is a bare number)
        density: The density of the liquid. Default: "1000 kg/m3". (a density, in kg/m3 if it is a bare number)
        surface_tension: The surface tension of the liquid. Default: "72 mN/m". (a surface tension, in N/m if it
            is a bare number)
        contact_angle: The contact angle on the grains; 0 is perfect wetting. Default: 0. (an angle, in rad if
            it is a bare number)
        bridges: Which pairs have a bridge. The bridges share the liquid in proportion to d1 d2/(d1 + d2).
            Default: "shared".
        """
        return self._merge("liquid", locals())

    def bond(
        self,
        *,
        group: str | None = None,
        pairs: List | None = None,
        stage: str | None = None,
        tensile_strength: Number | None = None,
        shear_strength: Number | None = None,
        bending_strength: Number | None = None,
        twisting_strength: Number | None = None,
    ) -> Self:
        """Cemented contacts between grains.

        group: Bond only grains of this group.
        pairs: Bond only these pairs of grains (indices from 0), which must touch; first stage only.
        stage: The stage at whose start the bonds form. Default: the first.
        tensile_strength: The tension at which a bond breaks. (a force, in N if it is a bare number)
        shear_strength: The shear force at which a bond breaks. (a force, in N if it is a bare number)
        bending_strength: The bending torque at which a bond breaks; with 0, bonded grains roll freely on each
            other. Default: 0. (a torque, in N m if it is a bare number)
        twisting_strength: The twisting torque at which a bond breaks; with 0, bonded grains spin freely on each
            other. Default: 0. 3D only. (a torque, in N m if it is a bare number)
        """
        return self._append("bonds", locals())

    def solver(
        self,
        *,
        time_step: Number | None = None,
        scheme: str | None = None,
        gap: str | None = None,
        midpoint_tolerance: Number | None = None,
        solver: str | None = None,
        order: str | None = None,
        criterion: Mapping[str, Any] | None = None,
        min_sweeps: int | None = None,
        max_sweeps: int | None = None,
        warm_start: bool | None = None,
        stiffness: Number | None = None,
        on_unconverged: str | None = None,
    ) -> Self:
        """Numerical settings.

        time_step: The time step. Default: from sizes and speeds, see \\"Time step and other defaults\\". (a
            time, in s if it is a bare number)
        scheme: The time-stepping scheme. Default: "euler".
        gap: How the Euler scheme treats overlaps. Default: "correct"; "relax" for angular grains; "keep" if
            contacts have a stiffness.
        midpoint_tolerance: The gap up to which a pair counts as touching under the midpoint scheme. At 0,
            contacts are lost to rounding. Default: 1e-4 of the smallest radius. (a length, in m if it is a bare
            number)
        solver: The iterative solver. `momentum` needs the spatial order and a criterion on the residual or the
            motion. (`newton` is available only in `riprap solve`: it needs the matrix `W`, which a run never
            assembles; see docs/solvers.md.) Default: "auto".
        order: The order in which a sweep visits the contacts. Default: "spatial".
        criterion: The convergence criterion of a step. Default: `{ motion = {} }`; ten times tighter for
            angular grains, and close to rounding error for up to 50 of them.
        min_sweeps: The smallest number of sweeps in a step. Default: 1.
        max_sweeps: The largest number of sweeps in a step; a step that reaches it is counted as unconverged.
            Default: 2000.
        warm_start: Start from the impulses of the previous step. Default: true.
        stiffness: Makes all contacts slightly compliant, with this stiffness `K` along the normal and `K/3`
            (disks) or `K/3.5` (spheres) along the tangent. Without it, contacts are rigid. With it, the solver
            needs few sweeps, and hardly more for large samples than for small ones. The run reports the
            stiffness number `κ = K d/f`, with the force `f` on a grain. If the solver stalls, the stiffness is
            halved for that step and the step is counted as softened. Overlaps represent the deformation of
            contacts and are kept (`gap = "keep"`). Elastic energy stored in contacts counts as dissipated until
            it is released. (a stiffness, in N/m if it is a bare number)
        on_unconverged: What to do when a step does not converge. Default: "continue".
        """
        return self._merge("solver", locals())

    def acd2(
        self,
        *,
        solver: str | None = None,
        stick: str | None = None,
        tolerance: Number | None = None,
        max_passes: int | None = None,
    ) -> Self:
        """Settings for A-CD².

        solver: How the percussions are computed. Default: "auto".
        stick: Which velocity vanishes at a sticking contact. Default: "right-limit".
        tolerance: The relative residual to reach. Default: 1e-6. (a plain number, no unit)
        max_passes: The largest number of passes over the contacts; a step that reaches it is counted as
            unconverged. Default: 20000.
        """
        return self._merge("acd2", locals())

    def md(
        self,
        *,
        stiffness: Number | None = None,
        overlap: Number | None = None,
        tangential_stiffness: Number | None = None,
        damping: Number | None = None,
        clamp: bool | None = None,
        steps_per_collision: Number | None = None,
        time_step: Number | None = None,
    ) -> Self:
        """Settings for molecular dynamics (soft contacts).

        stiffness: The stiffness k of the normal springs. Default: from `overlap` and the weights, pressures and
            speeds of the scene. (a stiffness, in N/m if it is a bare number)
        overlap: The ratio of overlap to mean radius that the default stiffness allows under the largest steady
            force of the scene; impacts may reach ten times this depth. Default: 1e-3. (a plain number, no unit)
        tangential_stiffness: The stiffness of the tangential springs divided by k. With the default, both
            springs have the same period. Default: 0.3333333333333333 in 2D, 0.2857142857142857 in 3D. (a plain
            number, no unit)
        damping: The damping coefficient γ of all contacts. By default, γ is such that a free collision rebounds
            with `normal_restitution`. A restitution of 0 cannot be reached; with `clamp`, the smallest is
            0.048. Default: from the normal restitution of each pair of materials. (a damping, in kg/s if it is
            a bare number)
        clamp: Prevent the dashpot from pulling: the total normal force is never negative. Without the clamp, a
            collision ends with a short pull, and its restitution is that of a complete half oscillation.
            Default: true.
        steps_per_collision: The number of integration steps in the shortest collision. Default: 50. (a plain
            number, no unit)
        time_step: The longest integration step. Default: from the stiffness, the lightest grain and
            `steps_per_collision`. (a time, in s if it is a bare number)
        """
        return self._merge("md", locals())

    def stage(
        self,
        name: str,
        *,
        end: Mapping[str, Any] | None = None,
        drivers: List | None = None,
        cell: Mapping[str, Any] | None = None,
        release: List | None = None,
        remove: List | None = None,
        restore: List | None = None,
        let_through: List | None = None,
        loads: List | None = None,
        gravity: List | Number | None = None,
        tilt: Mapping[str, Any] | None = None,
        ground_acceleration: List | None = None,
        materials: Mapping[str, Any] | None = None,
        pairs: List | None = None,
        solver: Mapping[str, Any] | None = None,
    ) -> Self:
        """The stages of the run, in order.

        name: The name of the stage.
        end: When the stage ends; the first criterion reached ends it.
        drivers: Drivers that act from this stage on.
        cell: Deformation of the cell from this stage on.
        release: Walls that are fixed from this stage on.
        remove: Walls that are not there from this stage on, until a later stage restores them: a gate that
            opens.
        restore: Walls that are there, for all grains, from this stage on.
        let_through: Walls that let some groups of grains through from this stage on.
        loads: Additional loads in this stage.
        gravity: Gravity in this stage.
        tilt: Tilt of gravity in this stage.
        ground_acceleration: The acceleration of the ground in this stage, as in `[domain]`.
        materials: Changes to contact laws in this stage.
        pairs: Laws between two materials in this stage.
        solver: Numerical settings in this stage.
        """
        return self._append("stages", locals())

    def outputs(
        self,
        *,
        snapshot_interval: Number | None = None,
        snapshot_formats: List | None = None,
        series_interval: Number | None = None,
        measure: List | None = None,
        measure_interval: Number | None = None,
        checkpoint_interval: Number | None = None,
    ) -> Self:
        """Output files and intervals.

        snapshot_interval: Simulated time between snapshots. Default: 1/50 of the total duration of all stages,
            or 1000 steps if that is unknown. (a time, in s if it is a bare number)
        snapshot_formats: The formats of snapshots. Default: ["vtp", "h5"].
        series_interval: Simulated time between rows of the time series; 0 means every step. Default: 1/1000 of
            the total duration of all stages, or every step if that is unknown. (a time, in s if it is a bare
            number)
        measure: Measurements made during the run and written to measures.csv; `riprap measure` makes the same
            ones from snapshots. Default: [].
        measure_interval: Simulated time between these measurements; if omitted, that between snapshots. (a
            time, in s if it is a bare number)
        checkpoint_interval: Wall-clock time between checkpoints. Default: "60 s". (a time, in s if it is a bare
            number)
        """
        return self._merge("outputs", locals())
