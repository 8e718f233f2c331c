import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useReply } from "#web/data/threads/reply.ts";
import { t } from "#web/i18n/translate.ts";
import { endingWords } from "./ending-text.ts";
import { nextSentences } from "./spoken-sentences.ts";

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
  const latest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const sayRest = useEffectEvent(() => {
    wasRunning.current = false;
    const { words } = nextSentences(text, Math.min(end.current, text.length), true);
    end.current = text.length;
    const closing = reply && (reply.status.type === "complete" ? t("reply.done") : endingWords(reply));
    const all = [words, closing].filter(Boolean).join(" ");
    if (all !== "") say(all);
  });

  useEffect(() => {
    latest.current = text;
    if (isRunning) {
      wasRunning.current = true;
      // The clock runs on while words come: an answer that never pauses is read out as well.
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        const next = nextSentences(latest.current, Math.min(end.current, latest.current.length), false);
        end.current = next.end;
        if (next.words !== "") say(next.words);
      }, gatherMs);
      return undefined;
    }
    clearTimeout(timer.current);
    timer.current = undefined;
    if (!wasRunning.current) {
      end.current = text.length;
      return undefined;
    }
    // How it ended may be known a moment later.
    if (reply?.status.type === "running") return undefined;
    const last = setTimeout(sayRest, 0);
    return () => clearTimeout(last);
  }, [text, isRunning, reply?.status, say]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  const asks = reply?.waitsFor?.length ?? 0;
  useEffect(() => {
    if (asks > 0) say(t("ask.announce", { count: asks }));
  }, [asks, say]);
  useEffect(() => {
    if (reply?.sendState === "failed") say(reply.failure?.message ?? t("reply.unsent"));
  }, [reply?.sendState, reply?.failure?.message, say]);
  return null;
}

function lastAnswer(message: { role: string; content: readonly { type: string }[] } | undefined): string {
  if (message?.role !== "assistant") return "";
  let text = "";
  for (const part of message.content) {
    if (part.type === "text" && "text" in part) text += `${String(part.text)}\n\n`;
  }
  return text;
}
