program Robot;
{ Tends two machines from a belt with two kinds of parts: low ones are for machine 1, tall ones for machine 2. A sensor on
  the hand measures which kind it is, and the part at the pick position waits until its machine is free.

  Inputs:  1 sensor 1, 2 sensor 2, 4 and 6 machine 1 and 2 ready, 7 something tall under the hand, 8 emergency.
  Outputs: 1 and 2 start the machines.
  Loading comes before unloading. At an emergency, the current job is finished and no other is started. }
uses ScorPas;

const
  Down = -90;
  Echo = 400;                    { ms; the sensor has a new value every 350 }

type
  Machines = 1..2;

const
  Ready_Line: array[Machines] of byte = (4, 6);
  Direction: array[Machines] of real = (0, -90);

var
  Empty: array[Machines] of boolean;
  emergency: boolean;
  number: Machines;

procedure Go(x, y, z, roll: real);
begin
  MoveXYZ(x, y, z, Down, roll);
  Waitpos
end;

procedure Reach(angle, radius, z: real);
begin
  angle := angle * Pi / 180;
  Go(radius * cos(angle), radius * sin(angle), z, 0)
end;

procedure Swing(angle: real);    { between the machines the tool stays near the base, and only that turns }
begin
  Reach(angle, 190, 300)
end;

procedure Check_Emergency;       { once it has been seen, it stays set }
begin
  if InputStatus(8) then emergency := true
end;

function Wanted: Machines;       { by the part at the pick position }
begin
  Swing(100);
  Go(-101.14, 300, 160, 18.63);  { the sensor, 50 mm beside the fingers, is over the part }
  delay(Echo);
  if InputStatus(7) then Wanted := 2 else Wanted := 1;
  Swing(100)                     { so low, the hand would hit machine 1 on its way to machine 2 }
end;

procedure Get_Object;
begin
  Go(-51.14, 300, 160, 9.67);    { the roll sets the jaws across the belt }
  Go(-51.14, 300, 81, 9.67);
  Gripper(gClose);
  Go(-51.14, 300, 160, 9.67);
  Swing(100)                     { the sensor has seen by now that the part is gone }
end;

procedure Visit(machine: Machines; z: real; grip: boolean);
begin
  Swing(Direction[machine]);
  Reach(Direction[machine], 340, 360);
  Reach(Direction[machine], 340, z);
  Gripper(grip);
  Reach(Direction[machine], 340, 360);
  Swing(Direction[machine])
end;

procedure Load(machine: Machines);
begin
  Get_Object;
  Visit(machine, 281.5, gOpen);
  SetOutputNo(machine);
  Empty[machine] := false
end;

procedure Unload(machine: Machines);
begin
  Visit(machine, 281, gClose);
  Swing(143);
  Go(-230, 170, 90, 0);
  Gripper(gOpen);
  Swing(143);
  Empty[machine] := true
end;

function Done(machine: Machines): boolean;
begin
  Done := not Empty[machine] and InputStatus(Ready_Line[machine])
end;

procedure Serve(machine: Machines);    { the part at the pick position, which is for this machine }
begin
  while not Empty[machine] and not emergency do
  begin
    if Done(machine) then Unload(machine)
    else if Done(3 - machine) then Unload(3 - machine)
    else delay(1000);
    Check_Emergency
  end;
  if not emergency then Load(machine)
end;

begin
  for number := 1 to 2 do Empty[number] := true;
  Gripper(gOpen);
  Speed(9);
  Swing(100);
  while not emergency do
  begin
    if InputStatus(2) then Serve(Wanted)
    else if InputStatus(1) then delay(100)       { it will be there in a moment }
    else if Done(1) then Unload(1)
    else if Done(2) then Unload(2)
    else
    begin
      Swing(100);
      delay(200)
    end;
    Check_Emergency
  end
end.
