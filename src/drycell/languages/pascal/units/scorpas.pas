{ ScorPas: the motion commands of table 15 and the auxiliary commands of table 16 of the thesis, and Waitpos, which its
  programs use, too. Lengths are in mm, angles in degrees. }
unit ScorPas;

interface

const
  gOpen = true;
  gClose = false;

type
  integerTypeArray = array[1..5] of integer;

{ These five start a motion and return at once. }
procedure MoveXYZ(x, y, z, pitch, roll: real); external;
procedure MoveX(offset: real); external;
procedure MoveY(offset: real); external;
procedure MoveZ(offset: real); external;
procedure GoPuls(steps: integerTypeArray); external;

procedure Waitpos; external;                              { waits until all motions are done }
procedure Speed(speed: byte); external;                   { 1 to 9, from the next motion on }
procedure StopMotor(axisNum: byte); external;
procedure Gripper(status: boolean); external;             { gOpen or gClose }

procedure SetOutputNo(outputNum: byte); external;         { a pulse }
function InputStatus(inputNum: byte): boolean; external;  { inputs 1 to 8 }
function GetInputValue: integer; external;                { input 1 is the lowest bit }
function WaitInterrupt(intCode: string; intTime: word): boolean; external;  { 18.2 ticks are a second }

procedure Delay(ms: word); external;

implementation

end.
