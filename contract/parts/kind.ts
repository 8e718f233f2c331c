/**
 * What every message part kind tells about itself. One file per kind holds its stored shape, the run events that
 * build it, and how they fold (the schema of the shape stands beside this, so that a browser need not carry it); the
 * same file name in `server/parts/` and `web/parts/` holds the kind's other sides.
 */
export type Kind<Part extends { type: string }, Event extends { type: string }> = {
  /** The words a person reads in this part, for titles, search and copying; "" where there are none. */
  text(part: Part): string;
  /** The run events of this kind. */
  events: { [Type in Event["type"]]: true };
  /** `part` after `event`; `undefined` is a part not begun, and answers `undefined` to an event out of place. */
  fold(part: Part | undefined, event: Event): Part | undefined;
};

/** Events of a part say which part of the reply they speak of: its index in the reply's content. */
export type PartEvent<Type extends string, Data = object> = { type: Type; part: number } & Data;
