program Event_Cell;
{ The main program is that of table 21, without the End too many; the routines it calls are drycell's completion. }
uses ScorPas;

var
  Part_Coming, Part_Has_Come, Part_At_Position: boolean;
  Machine1_Empty, Machine2_Empty, Machine1_Ready, Machine2_Ready: boolean;
  served: integer;

procedure init;
begin
  Machine1_Empty := true;
  Machine2_Empty := true;
  Gripper(gOpen)
end;

procedure Go(x, y, z: real);
begin
  MoveXYZ(x, y, z, -90, 0);
  Waitpos
end;

procedure Check_Part_Comming;
begin
  Part_Coming := InputStatus(1);
  if Part_Coming = true then Part_Has_Come := true;
  delay(200)
end;

procedure Check_Part_At_Position;
begin
  Part_At_Position := InputStatus(2)
end;

procedure Check_Machine1;
begin
  Machine1_Ready := InputStatus(4)
end;

procedure Check_Machine2;
begin
  Machine2_Ready := InputStatus(6)
end;

procedure Get_Object;
begin
  Go(0, 300, 50);
  Gripper(gClose);
  MoveZ(100);
  Waitpos
end;

procedure Load_Machine1;
begin
  Go(250, 150, 100);
  Gripper(gOpen);
  SetOutputNo(1);
  Machine1_Empty := false;
  served := served + 1
end;

procedure Load_Machine2;
begin
  Go(250, -150, 100);
  Gripper(gOpen);
  SetOutputNo(2);
  Machine2_Empty := false;
  served := served + 1
end;

procedure Unload_Machine1;
begin
  Go(250, 150, 100);
  Gripper(gClose);
  Go(0, -300, 100);
  Gripper(gOpen);
  Machine1_Empty := true
end;

procedure Unload_Machine2;
begin
  Go(250, -150, 100);
  Gripper(gClose);
  Go(0, -300, 100);
  Gripper(gOpen);
  Machine2_Empty := true
end;

procedure Main_prog;
var emergency: boolean;
begin
  init;
  while emergency = false do
  begin
    MoveXyz(160, 262.66, 236.94, -55.92, 2.39);
    speed(5);
    Waitpos;
    Check_Part_Comming;
    if ((Part_Has_Come = false) or (Machine1_Empty = false) or (Machine2_Empty = false)) then
    begin
      while Part_Has_Come = false do
      begin
        Check_Machine1;
        Check_Machine2;
        if ((Machine1_Ready = true) and (Machine1_Empty = false)) then Unload_Machine1;
        if ((Machine2_Ready = true) and (Machine2_Empty = false)) then Unload_Machine2;
        Check_Part_Comming;
        delay(1000);
        if InputStatus(8) then halt;
      end;
    end;
    MoveXyz(-51.14, 262.66, 236.94, -55.92, 2.39);
    speed(5);
    Waitpos;
    while Part_Has_Come = true do
    begin
      Check_Part_At_Position;
      if Part_At_Position = true then Part_Has_Come := false;
      delay(10);
    end;
    while Part_At_Position = true do
    begin
      if ((Machine1_Empty = true) or (Machine2_Empty = true)) then
      begin
        if ((Part_At_Position = true) and (Machine1_Empty = true)) then
        begin
          Get_Object;
          Check_Part_At_Position;
          Load_Machine1;
        end;
        if ((Part_At_Position = true) and (Machine2_Empty = true)) then
        begin
          Get_Object;
          Check_Part_At_Position;
          Load_Machine2;
        end;
      end;
      if ((Machine1_Empty = false) and (Machine2_Empty = false)) then
      begin
        while ((Machine1_Empty = false) and (Machine2_Empty = false)) do
        begin
          Check_Machine1;
          if Machine1_Ready = true then
          begin
            Unload_Machine1;
          end;
          Check_Machine2;
          if Machine2_Ready = true then
          begin
            Unload_Machine2;
          end;
          delay(1000);
          writeln('Waiting for machines to get ready');
        end;
        Check_Part_At_Position;
      end;
    end;
  end;
end;

begin
  Main_prog
end.
