import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useServices } from "#web/data/provider.tsx";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { t } from "#web/i18n/translate.ts";
import { endingText } from "./ending-text.ts";
import { nextSentences } from "./spoken-sentences.ts";

/** 1 s: sentences that arrive faster are announced together, so that a screen reader is not interrupted. */
const batchMs = 1_000;

/** Announces the running answer to screen readers sentence by sentence, and how it ended. Not visible. */
export function Announcer() {
  const id = useAuiState((s) => s.thread.messages.at(-1)?.id);
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const [announcement, setAnnouncement] = useState("");
  const wasRunning = useRef(false);
  useEffect(() => {
    if (isRunning && !wasRunning.current) setAnnouncement(t("reply.waiting"));
    wasRunning.current = isRunning;
  }, [isRunning]);
  return (
    <div aria-live="polite" className="visually-hidden">
      {announcement}
      {id !== undefined && <AnswerAnnouncer key={id} id={id} announce={setAnnouncement} />}
    </div>
  );
}

function AnswerAnnouncer({ id, announce }: { id: string; announce(text: string): void }) {
  const text = useAuiState((s) => answerText(s.thread.messages.at(-1)));
  const reply = useMessageFacts(id);
  const { replies } = useServices();
  const isRunning = useAuiState((s) => s.thread.isRunning);
  // Only new text is announced, not an answer that was there before.
  const announcedLength = useRef(isRunning ? 0 : text.length);
  const wasRunning = useRef(isRunning);

  const announceNext = useEffectEvent(() => {
    const live = replies.visible.get().get(reply?.runId ?? "");
    const latest = live === undefined ? text : textOfParts(live.reply.parts);
    const next = nextSentences(latest, Math.min(announcedLength.current, latest.length), false);
    announcedLength.current = next.end;
    if (next.words !== "") announce(next.words);
  });

  const announceRest = useEffectEvent(() => {
    wasRunning.current = false;
    const { words } = nextSentences(text, Math.min(announcedLength.current, text.length), true);
    announcedLength.current = text.length;
    const ending = reply && (reply.status.type === "complete" ? t("reply.done") : endingText(reply));
    const all = [words, ending].filter(Boolean).join(" ");
    if (all !== "") announce(all);
  });

  useEffect(() => {
    if (!isRunning) return undefined;
    wasRunning.current = true;
    const timer = setInterval(announceNext, batchMs);
    return () => clearInterval(timer);
  }, [isRunning]);

  useEffect(() => {
    if (isRunning) return undefined;
    if (!wasRunning.current) {
      announcedLength.current = text.length;
      return undefined;
    }
    // The end of the stream may arrive before the status.
    if (reply?.status.type === "running") return undefined;
    const last = setTimeout(announceRest, 0);
    return () => clearTimeout(last);
  }, [text, isRunning, reply?.status]);

  const requestCount = reply?.pendingCalls?.length ?? 0;
  useEffect(() => {
    if (requestCount > 0) announce(t("ask.announce", { count: requestCount }));
  }, [requestCount, announce]);
  useEffect(() => {
    if (reply?.sendState === "failed") announce(reply.failure?.message ?? t("reply.unsent"));
  }, [reply?.sendState, reply?.failure?.message, announce]);
  return null;
}

type ShownPart = { type: string; text?: unknown };

function answerText(message: { role: string; content: readonly ShownPart[] } | undefined): string {
  return message?.role === "assistant" ? textOfParts(message.content) : "";
}

function textOfParts(parts: readonly ShownPart[]): string {
  return parts.map(({ type, text }) => (type === "text" ? `${String(text)}\n\n` : "")).join("");
}
