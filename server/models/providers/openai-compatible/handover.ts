import type { Line } from "./line.ts";
import { post } from "./post.ts";
import { readWhole, readWire, type Wire } from "./wire.ts";

/**
 * One request as the library makes it. The library builds it and judges a refusal; of an accepted answer it gets only
 * what is handed to it.
 */
export type Handover = {
  /** For the library: never follows a redirect, for the key and the conversation go to the configured host and nowhere else. */
  fetch: typeof fetch;
  /** The data of the events that came since the last call, after a wait where there were none; empty at the end. */
  more(): Promise<string[]>;
  /** From now on the library reads: these events first, then all that come. Call it once, and `more` no longer. */
  toLibrary(events: string[]): void;
};

export function openHandover(line: Line): Handover {
  const handed = Promise.withResolvers<string[]>();
  let wire: Wire | undefined;

  function restOf(wire: Wire): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let begun = false;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const events = (begun ? await wire.more() : await handed.promise) ?? [];
          begun = true;
          if (events.length === 0) controller.close();
          else controller.enqueue(encoder.encode(events.map(asEvent).join("")));
        },
      },
      { highWaterMark: 0 },
    );
  }

  return {
    async fetch(input, init) {
      if (typeof input !== "string" || typeof init?.body !== "string")
        throw new TypeError("the library asks in a way that we do not know");
      const answer = await post(input, {
        headers: Object.fromEntries(new Headers(init.headers)),
        body: init.body,
        signal: line.signal,
      });
      line.heard();
      const status = answer.statusCode ?? 0;
      if (status >= 300 && status < 400) {
        answer.destroy();
        throw new Error(`the provider redirects elsewhere, status ${status}: check the base URL`);
      }
      if (status >= 400)
        return new Response(await readWhole(answer, line), {
          status: Math.min(status, 599),
          headers: plainHeaders(answer.headers),
        });
      wire = readWire(answer, line);
      return new Response(restOf(wire), { headers: { "content-type": "text/event-stream" } });
    },
    more: async () => (await wire?.more()) ?? [],
    toLibrary: (events) => handed.resolve(events),
  };
}

function asEvent(data: string): string {
  return `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`;
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
