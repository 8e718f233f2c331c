import { useEffect, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useReply } from "#web/data/reply.ts";
import { t } from "#web/words/words.ts";
import { nextSentences } from "./sentences.ts";

/** 1 s: sentences that come faster are said together, so that a screen reader is not cut short by the next. */
const gatherMs = 1_000;

/** Says the running answer sentence by sentence to screen readers, and how it ended. Shows nothing. */
export function Announcer() {
  const id = useAuiState((s) => s.thread.messages.at(-1)?.id);
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const [said, setSaid] = useState("");
  const wasRunning = useRef(false);
  useEffect(() => {
    if (isRunning && !wasRunning.current) setSaid(t("reply.waiting"));
    wasRunning.current = isRunning;
  }, [isRunning]);
  return (
    <div aria-live="polite" className="unseen">
      {said}
      {id !== undefined && <Sayer key={id} id={id} say={setSaid} />}
    </div>
  );
}

function Sayer({ id, say }: { id: string; say(words: string): void }) {
  const text = useAuiState((s) => lastAnswer(s.thread.messages.at(-1)));
  const reply = useReply(id);
  const isRunning = useAuiState((s) => s.thread.isRunning);
  // An answer that was there already is not read out: only what comes from now on.
  const end = useRef(isRunning ? 0 : text.length);
  const wasRunning = useRef(isRunning);

  useEffect(() => {
    const justEnded = wasRunning.current && !isRunning;
    if (!isRunning && !justEnded) {
      end.current = text.length;
      return undefined;
    }
    const timer = setTimeout(
      () => {
        wasRunning.current = isRunning;
        const next = nextSentences(text, Math.min(end.current, text.length), justEnded);
        end.current = next.end;
        const closing = justEnded ? closingWords(reply?.status.type, reply?.status.reason) : "";
        const words = [next.words, closing].filter(Boolean).join(" ");
        if (words !== "") say(words);
      },
      justEnded ? 0 : gatherMs,
    );
    return () => clearTimeout(timer);
  }, [text, isRunning, reply?.status.type, reply?.status.reason, say]);
  const asks = reply?.waitsFor?.length ?? 0;
  useEffect(() => {
    if (asks > 0) say(t("ask.announce", { count: asks }));
  }, [asks, say]);
  useEffect(() => {
    if (reply?.sendState === "failed") say(reply.failure?.message ?? t("reply.unsent"));
  }, [reply?.sendState, reply?.failure?.message, say]);
  return null;
}

function closingWords(type: string | undefined, reason: string | null | undefined): string {
  if (type === "complete") return t("reply.done");
  if (type !== "incomplete") return "";
  return reason === "cancelled" ? t("reply.stopped") : t("reply.failed");
}

function lastAnswer(message: { role: string; content: readonly { type: string }[] } | undefined): string {
  if (message?.role !== "assistant") return "";
  let text = "";
  for (const part of message.content) {
    if (part.type === "text" && "text" in part) text += `${String(part.text)}\n\n`;
  }
  return text;
}
