program Tiny;
{ Goes to a place, asks for a part by lamp 8, takes what is there when input 1 comes on, and says that it has gone. }
uses ScorPas;

procedure Ask;
begin
  SetOutputNo(8)
end;

begin
  Speed(9);
  Gripper(gOpen);
  MoveXYZ(250, 0, 250, -90, 0);
  Waitpos;
  Ask;
  while not InputStatus(1) do delay(50);
  MoveXYZ(250, 100, 250, -90, 30);
  Waitpos;
  Gripper(gClose);
  delay(200);
  MoveZ(50);
  Waitpos;
  Ask;
  while InputStatus(1) do delay(50);
  delay(500)
end.
