import { emptyReply, foldOne } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { ask, askProxy, askStream, type User } from "./parlance.ts";

/** Called with tokens that arrived together. Each is the time at which the model sent it, in milliseconds since 1970. */
export type OnTimestamps = (timestamps: number[]) => void;

/** The model server answers this with `count` timestamps, one every `gapMs`. */
function question(count: number, gapMs: number): string {
  return `tokens=${count} gap=${gapMs}\nstamp`;
}

/** Throws if an event is missing or the run did not complete. */
export async function askForTimestamps(
  person: User,
  tokens: { count: number; gapMs: number },
  onTimestamps: OnTimestamps,
): Promise<void> {
  let reply = emptyReply;
  let expected = 1;
  await ask(person, newId("thread"), question(tokens.count, tokens.gapMs), (event, seq) => {
    if (seq !== expected++) throw new Error(`event ${seq} instead of ${expected - 1}`);
    if (event.type === "text-delta") onTimestamps(timestampsIn(event.text));
    else reply = foldOne(reply, event);
  });
  if (reply.end?.state !== "completed") throw new Error(`a run ended as ${reply.end?.state}`);
}

/** Like `askForTimestamps`, for an answer of the protocol. Throws if it was not complete. */
export async function askStreamForTimestamps(
  person: User,
  tokens: { count: number; gapMs: number },
  onTimestamps: OnTimestamps,
): Promise<void> {
  await askStream(person, question(tokens.count, tokens.gapMs), (text) => onTimestamps(timestampsIn(text)));
}

export async function askProxyForTimestamps(
  url: string,
  tokens: { count: number; gapMs: number },
  onTimestamps: OnTimestamps,
): Promise<void> {
  await askProxy(url, question(tokens.count, tokens.gapMs), (text) => onTimestamps(timestampsIn(text)));
}

function timestampsIn(text: string): number[] {
  return text.trim().split(" ").map(Number);
}
