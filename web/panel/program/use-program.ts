import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { readGuard } from "./guard/guard-script.ts";
import { sharesThread } from "./guard/shares-thread.ts";

/** A line that a program printed. */
export type ConsoleEntry = { level: "debug" | "log" | "info" | "warn" | "error"; text: string };

/** Why a program was stopped: it blocks its frame or has left its page, its buffers are too large, or the frame did not load. */
export type ProgramFailure = "silent" | "memory" | "unloaded";

/** A program that does not answer for so long is stopped. */
const silentMaxMs = 5_000;
/** A frame, and the guard of its program, that are not loaded after so long have failed. */
const loadMaxMs = 30_000;
const pingMs = 500;
/** Messages between two pings. */
const receivedMax = 100;

/** All buffers of a program, in bytes. */
const buffersMax = 2 ** 30;

/** The last lines are kept. */
const entriesMax = 200;

/**
 * Runs `source` in a frame when it has loaded, and watches it. The frame has another process in Chromium, so that a loop
 * without an end does not stop the page, which then removes the frame. Where the frame has a turn only when the page has
 * none, the loops of the program's scripts stop by themselves, unless `hasGuard` is false.
 */
export function useProgram(
  frame: RefObject<HTMLIFrameElement | null>,
  source: string,
  onStop: (failure: ProgramFailure) => void,
  hasGuard: boolean,
): { entries: readonly ConsoleEntry[]; onLoad: () => void; clear: () => void } {
  const [entries, setEntries] = useState<readonly ConsoleEntry[]>([]);
  const [port, setPort] = useState<MessagePort>();
  const isSent = useRef(false);
  const isHeard = useRef(false);
  const stop = useEffectEvent(onStop);

  useEffect(() => {
    let heardAt = performance.now();
    let before = heardAt;
    let received = 0;
    const onMessage = ({ data }: MessageEvent<unknown>) => {
      heardAt = performance.now();
      isHeard.current = true;
      received += 1;
      if (isBlocked(data)) stop("silent");
      if (bufferBytesIn(data) > buffersMax) stop("memory");
      const added = entriesIn(data);
      if (added.length > 0) setEntries((known) => [...known, ...added].slice(-entriesMax));
    };
    port?.addEventListener("message", onMessage);
    port?.start();
    const timer = setInterval(() => {
      const now = performance.now();
      // A page in the background, or one that was busy itself, has not listened.
      if (document.hidden || now - before > 4 * pingMs) heardAt = now;
      before = now;
      port?.postMessage("ping");
      // The frame sends a few messages per second. A program that has found another way to send is stopped too.
      if (now - heardAt > (port === undefined ? loadMaxMs : silentMaxMs) || received > receivedMax)
        stop(isHeard.current ? "silent" : "unloaded");
      received = 0;
    }, pingMs);
    return () => {
      clearInterval(timer);
      port?.removeEventListener("message", onMessage);
    };
  }, [port]);

  return {
    entries,
    clear: () => setEntries([]),
    onLoad() {
      const target = frame.current?.contentWindow;
      // The end of the program's own document is a load too. A document that the program goes to gets nothing.
      if (isSent.current || !target) return;
      isSent.current = true;
      const send = (guard: string | undefined) => {
        const channel = new MessageChannel();
        // The frame has no origin that could be named. Only our own route can be in it, as the page's policy says.
        target.postMessage({ source, guard }, "*", [channel.port2]);
        setPort(channel.port1);
      };
      if (!hasGuard) send(undefined);
      else
        void sharesThread(target)
          .then(async (shares) => (shares ? await readGuard() : undefined))
          .then(send, () => {
            if (frame.current?.contentWindow === target) onStop("unloaded");
          });
    },
  };
}

function isBlocked(data: unknown): boolean {
  return typeof data === "object" && data !== null && "type" in data && data.type === "blocked";
}

function bufferBytesIn(data: unknown): number {
  const isReport = typeof data === "object" && data !== null && "bufferBytes" in data;
  return isReport && typeof data.bufferBytes === "number" ? data.bufferBytes : 0;
}

const levels = ["debug", "log", "info", "warn", "error"] as const;

/** What a frame says is not trusted: only short texts of known kinds are shown. */
function entriesIn(data: unknown): ConsoleEntry[] {
  if (typeof data !== "object" || data === null || !("entries" in data) || !Array.isArray(data.entries))
    return [];
  const entries: ConsoleEntry[] = data.entries.slice(0, 100).flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null || !("level" in entry) || !("text" in entry)) return [];
    const level = levels.find((name) => name === entry.level);
    return level === undefined || typeof entry.text !== "string"
      ? []
      : [{ level, text: entry.text.slice(0, 2_000) }];
  });
  const skipped = "skipped" in data && typeof data.skipped === "number" ? data.skipped : 0;
  return skipped > 0 ? [...entries, { level: "debug", text: `… ${skipped}` }] : entries;
}
