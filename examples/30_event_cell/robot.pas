program Robot;
{ Tends two machines from a belt. The main procedure is that of table 21 of the thesis, with its loops as they must be
  meant; the routines it calls, and the positions, were added for this cell. Loading comes before unloading: while a part
  can be loaded, no machine counts as ready. At an emergency, the current job is finished and no other is started.

  Inputs:  1 sensor 1, 2 sensor 2, 3 and 4 machine 1 running and ready, 5 and 6 those of machine 2, 8 emergency.
  Outputs: 1 and 2 start the machines. }
uses ScorPas;

const
  Down = -90;

var
  Part_Comming, Part_Has_Come, Part_At_Position: boolean;
  Machine1_Empty, Machine2_Empty, Machine1_Ready, Machine2_Ready: boolean;
  emergency: boolean;

procedure Go(x, y, z, roll: real);
begin
  MoveXYZ(x, y, z, Down, roll);
  Waitpos
end;

procedure Swing(angle: real);    { between the machines the tool stays near the base, and only that turns }
begin
  angle := angle * Pi / 180;
  Go(190 * cos(angle), 190 * sin(angle), 300, 0)
end;

procedure Init;
begin
  Machine1_Empty := true;
  Machine2_Empty := true;
  Gripper(gOpen);
  Speed(9)
end;

procedure Check_Emergency;       { once it has been seen, it stays set }
begin
  if InputStatus(8) then emergency := true
end;

procedure Check_Part_Comming;
begin
  Part_Comming := InputStatus(1);
  if Part_Comming = true then Part_Has_Come := true;
  Check_Emergency;
  delay(200)
end;

procedure Check_Part_At_Position;
begin
  Check_Emergency;
  if emergency then Part_Has_Come := false;
  Part_At_Position := InputStatus(2) and not emergency
end;

function Can_Load: boolean;
begin
  Can_Load := (Machine1_Empty or Machine2_Empty) and (InputStatus(1) or InputStatus(2))
end;

procedure Check_Machine1;
begin
  Check_Emergency;
  Machine1_Ready := InputStatus(4) and not Can_Load and not emergency
end;

procedure Check_Machine2;
begin
  Check_Emergency;
  Machine2_Ready := InputStatus(6) and not Can_Load and not emergency
end;

procedure Get_Object;
begin
  Go(-51.14, 300, 160, 9.67);    { the roll sets the jaws across the belt }
  Go(-51.14, 300, 81, 9.67);
  Gripper(gClose);
  Go(-51.14, 300, 160, 9.67);
  Swing(100)                     { the sensor has seen by now that the part is gone }
end;

procedure Put_In_Store;
begin
  Swing(143);
  Go(-230, 170, 90, 0);
  Gripper(gOpen);
  Swing(143);
  Machine1_Ready := false;       { the sensors are looked at before another machine is unloaded }
  Machine2_Ready := false
end;

procedure Load_Machine1;
begin
  Swing(0);
  Go(340, 0, 360, 0);
  Go(340, 0, 281.5, 0);
  Gripper(gOpen);
  Go(340, 0, 360, 0);
  Swing(0);
  SetOutputNo(1);
  Machine1_Empty := false
end;

procedure Load_Machine2;
begin
  Swing(-90);
  Go(0, -340, 360, 0);
  Go(0, -340, 281.5, 0);
  Gripper(gOpen);
  Go(0, -340, 360, 0);
  Swing(-90);
  SetOutputNo(2);
  Machine2_Empty := false
end;

procedure Unload_Machine1;
begin
  Swing(0);
  Go(340, 0, 360, 0);
  Go(340, 0, 281, 0);
  Gripper(gClose);
  Go(340, 0, 360, 0);
  Swing(0);
  Put_In_Store;
  Machine1_Empty := true
end;

procedure Unload_Machine2;
begin
  Swing(-90);
  Go(0, -340, 360, 0);
  Go(0, -340, 281, 0);
  Gripper(gClose);
  Go(0, -340, 360, 0);
  Swing(-90);
  Put_In_Store;
  Machine2_Empty := true
end;

procedure Main_prog;
begin
  Init;
  while emergency = false do
  begin
    Swing(60);
    Check_Part_Comming;
    if ((Part_Has_Come = false) or (Machine1_Empty = false) or (Machine2_Empty = false)) then
    begin
      while (Part_Has_Come = false) and (emergency = false) do
      begin
        Check_Machine1;
        Check_Machine2;
        if ((Machine1_Ready = true) and (Machine1_Empty = false)) then Unload_Machine1;
        if ((Machine2_Ready = true) and (Machine2_Empty = false)) then Unload_Machine2;
        Check_Part_Comming;
        delay(1000)
      end
    end;
    Swing(100);
    while Part_Has_Come = true do
    begin
      Check_Part_At_Position;
      if Part_At_Position = true then Part_Has_Come := false;
      delay(10)
    end;
    while Part_At_Position = true do
    begin
      if ((Machine1_Empty = true) or (Machine2_Empty = true)) then
      begin
        if ((Part_At_Position = true) and (Machine1_Empty = true)) then
        begin
          Get_Object;
          Check_Part_At_Position;
          Load_Machine1
        end;
        if ((Part_At_Position = true) and (Machine2_Empty = true)) then
        begin
          Get_Object;
          Check_Part_At_Position;
          Load_Machine2
        end
      end;
      if ((Machine1_Empty = false) and (Machine2_Empty = false)) then
      begin
        while ((Machine1_Empty = false) and (Machine2_Empty = false) and (emergency = false)) do
        begin
          Check_Machine1;
          if Machine1_Ready = true then Unload_Machine1;
          Check_Machine2;
          if Machine2_Ready = true then Unload_Machine2;
          delay(1000)
        end;
        Check_Part_At_Position
      end
    end
  end
end;

begin
  Main_prog
end.
