import { emptyReply, foldOne } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { ask, askProxy, type Person } from "./parlance.ts";

/** Called with the tokens that arrived together. Each is the time at which the model sent it, in milliseconds since 1970. */
export type HearStamps = (stamps: number[]) => void;

/** A question that the fixture answers with `count` tokens, one every `gapMs`. Each is the time at which it was sent. */
function question(count: number, gapMs: number): string {
  return `tokens=${count} gap=${gapMs}\nstamp`;
}

/** Throws where an event is missing or the run did not end well. */
export async function askStamped(
  person: Person,
  tokens: { count: number; gapMs: number },
  hear: HearStamps,
): Promise<void> {
  let reply = emptyReply;
  let expected = 1;
  await ask(person, newId("thread"), question(tokens.count, tokens.gapMs), (event, seq) => {
    if (seq !== expected++) throw new Error(`event ${seq} came where ${expected - 1} was due`);
    if (event.type === "text-delta") hear(stampsIn(event.text));
    else reply = foldOne(reply, event);
  });
  if (reply.end?.state !== "completed") throw new Error(`a run ended as ${reply.end?.state}`);
}

export async function askProxyStamped(
  url: string,
  tokens: { count: number; gapMs: number },
  hear: HearStamps,
): Promise<void> {
  await askProxy(url, question(tokens.count, tokens.gapMs), (text) => hear(stampsIn(text)));
}

function stampsIn(text: string): number[] {
  return text.trim().split(" ").map(Number);
}
