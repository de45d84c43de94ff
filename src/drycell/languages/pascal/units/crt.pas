{ Crt: what programs of a cell use of Turbo Pascal's unit for the screen. All but Delay do nothing here. }
unit Crt;

interface

procedure Delay(ms: word); external;
procedure ClrScr; external;
procedure GotoXY(x, y: byte); external;
procedure TextColor(color: byte); external;
procedure TextBackground(color: byte); external;
procedure Sound(hertz: word); external;
procedure NoSound; external;
function KeyPressed: boolean; external;
function ReadKey: char; external;

implementation

end.
