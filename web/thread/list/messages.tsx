import { memo, startTransition, useContext, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { MessageByIndexProvider, useAuiState } from "@assistant-ui/react";
import type { Summary } from "#contract/endpoints/summaries.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { markFar } from "#web/lib/observe-size.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { openFind } from "#web/ui/app-dialog.ts";
import { AssistantMessage } from "../assistant-message.tsx";
import { Waiting } from "../waiting.tsx";
import { SummaryLine } from "../summary/summary-line.tsx";
import { UserMessage } from "../user-message.tsx";
import { Earlier } from "./earlier.tsx";
import { NearnessContext } from "./near-viewport.ts";
import styles from "./messages.module.css";

/** Messages that are rendered together. A block that is not rendered is an empty box of the same height. */
const blockSize = 4;
/** The last blocks are rendered at once: more than a viewport of short messages. */
const firstBlocks = 3;
/** Up to this number of messages, all are rendered, when the browser is idle. */
const completeMax = 100;
/** CSS pixels: the height of a block that was never rendered. */
const estimatedHeight = 800;

/** The messages of a thread. `targetId`: a message that must be rendered. */
export function Messages({ targetId }: { targetId: string | undefined }) {
  const { hasEarlier, summary } = useOpenThread();
  // One string instead of a list, because it stays equal while only the texts change.
  const messageKeys = useAuiState((s) =>
    s.thread.messages.map((message) => `${message.role} ${message.id}`).join("\n"),
  );
  const messagesAbove = useAuiState((s) => Number(s.thread.messages[0]?.metadata.custom["messagesAbove"]));
  const isAwaitingAnswer = useAuiState(
    (s) => s.thread.isRunning && s.thread.messages.at(-1)?.role === "user",
  );
  const blocks = blocksOf(messageKeys.split("\n"), messagesAbove);
  const isComplete = useAuiState((s) => s.thread.messages.length <= completeMax);
  const keptFrom = useIdleCountdown(blocks.at(-1)!.number + 1, isComplete ? blocks[0]!.number : Infinity);
  const isPrinting = useIsPrinting();
  useFindKey(hasEarlier || !isComplete);
  return (
    <>
      <Earlier />
      {blocks.map(({ number, start, keys }, i) => (
        <Block
          key={number}
          start={start}
          position={messagesAbove + start}
          keys={keys.join("\n")}
          summary={keys.some((key) => idOf(key) === summary?.message_id) ? summary : null}
          after={blocks[i - 1]?.keys.at(-1)?.split(" ")[0]}
          startsRendered={i >= blocks.length - firstBlocks}
          isKept={
            isPrinting || (isComplete && number >= keptFrom) || keys.some((key) => idOf(key) === targetId)
          }
        />
      ))}
      {isAwaitingAnswer && (
        <div className={styles["awaited"]}>
          <Waiting />
        </div>
      )}
    </>
  );
}

function idOf(messageKey: string): string | undefined {
  return messageKey.split(" ")[1];
}

type MessageBlock = { number: number; start: number; keys: string[] };

/** The numbers count from the start of the thread, so that a block keeps its number when earlier messages are loaded. */
function blocksOf(keys: string[], above: number): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  for (const [start, key] of keys.entries()) {
    const number = Math.floor((above + start) / blockSize);
    const last = blocks.at(-1);
    if (last?.number === number) last.keys.push(key);
    else blocks.push({ number, start, keys: [key] });
  }
  return blocks;
}

const Block = memo(function Block({
  start,
  position,
  keys,
  summary,
  after,
  startsRendered,
  isKept,
}: {
  start: number;
  /** The number of messages above it in the thread. */
  position: number;
  /** Role and id of each message, one per line. */
  keys: string;
  /** A summary that ends with one of these messages. */
  summary: Summary | null;
  /** The role of the message above it. */
  after: string | undefined;
  startsRendered: boolean;
  isKept: boolean;
}) {
  const watchNearness = useContext(NearnessContext);
  const box = useRef<HTMLDivElement>(null);
  const isNear = useRef(startsRendered);
  const height = useRef(estimatedHeight);
  const [isRendered, setRendered] = useState(startsRendered);
  const update = useEffectEvent(() => {
    const element = box.current;
    if (element === null || isRendered === (isKept || isNear.current)) return;
    if (isRendered && isInUse(element)) return;
    startTransition(() => setRendered(!isRendered));
  });
  const moved = useEffectEvent((isNowNear: boolean, measuredHeight: number) => {
    isNear.current = isNowNear;
    if (isRendered || isKept) height.current = measuredHeight;
    box.current?.style.setProperty("--height", `${height.current}px`);
    if (box.current !== null) markFar(box.current, !isNowNear);
    update();
  });
  useEffect(() => update(), [isKept]);
  useEffect(
    () => (box.current === null ? undefined : watchNearness(box.current, (...move) => moved(...move))),
    [watchNearness],
  );
  const isShown = isRendered || isKept;
  return (
    <div
      ref={box}
      className={styles["block"]}
      data-after={after}
      style={isShown ? undefined : { blockSize: height.current }}
    >
      {isShown &&
        keys.split("\n").map((messageKey, i) => (
          <MessageByIndexProvider key={messageKey} index={start + i}>
            {messageKey.startsWith("user ") && <UserMessage position={position + i} />}
            {messageKey.startsWith("assistant ") && <AssistantMessage position={position + i} />}
            {summary !== null && idOf(messageKey) === summary.message_id && <SummaryLine summary={summary} />}
          </MessageByIndexProvider>
        ))}
    </div>
  );
});

/** Whether the block has something that would be lost: the focus, a selection, what the reader opened or listens to. */
function isInUse(block: Element): boolean {
  return (
    block.contains(document.activeElement) ||
    block.querySelector(
      "textarea, audio, video, [aria-expanded='true'], [aria-busy='true'], [data-read-aloud]",
    ) !== null ||
    getSelection()?.isCollapsed === false
  );
}

/**
 * Counts down from `from` to `to`, one step whenever the browser is idle. Counts again when `from` falls below the count
 * or jumps, as with another version of a thread, but not while messages are added.
 */
function useIdleCountdown(from: number, to: number): number {
  const [count, setCount] = useState(from);
  const [lastFrom, setLastFrom] = useState(from);
  if (from !== lastFrom) {
    setLastFrom(from);
    if (count > from || from > lastFrom + 1) setCount(from);
  }
  useEffect(() => {
    if (count <= to) return undefined;
    const next = () => startTransition(() => setCount(count - 1));
    if (typeof requestIdleCallback !== "function") {
      const timer = setTimeout(next, 100);
      return () => clearTimeout(timer);
    }
    const callback = requestIdleCallback(next);
    return () => cancelIdleCallback(callback);
  }, [count, to]);
  return count;
}

function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useWindowEvent("beforeprint", () => flushSync(() => setPrinting(true)));
  useWindowEvent("afterprint", () => setPrinting(false));
  return isPrinting;
}

/**
 * Opens our own search instead of the browser's, which finds only what is rendered. Pressed again while it is open, the
 * keys open the browser's.
 */
function useFindKey(isPartial: boolean): void {
  useWindowEvent("keydown", (event) => {
    if (
      event.defaultPrevented ||
      !isPartial ||
      !isFindKey(event) ||
      document.querySelector("dialog[open]") !== null
    )
      return;
    event.preventDefault();
    openFind();
  });
}

function isFindKey({ ctrlKey, metaKey, shiftKey, altKey, code, key }: KeyboardEvent): boolean {
  if (shiftKey || altKey || (code !== "KeyF" && key.toLowerCase() !== "f")) return false;
  // On Apple's systems Ctrl+F moves the caret.
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  return isApple ? metaKey : ctrlKey;
}
