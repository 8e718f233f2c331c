import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import SkipForward from "lucide-react/icons/skip-forward";
import X from "lucide-react/icons/x";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { sentencesOf, languageOf } from "./sentences.ts";
import styles from "./read-aloud-bar.module.css";

/** How often an answer that is being written is searched for another complete sentence. */
const waitMs = 300;
/** The name of the highlight in the style sheet. */
const highlight = "read-aloud";

/** Reads an answer aloud, sentence by sentence, also while it is written, and marks the sentence on the page. */
export function ReadAloudBar({ messageId, onClose }: { messageId: string; onClose(): void }) {
  const [voices, setVoices] = useState<readonly SpeechSynthesisVoice[]>();
  const [index, setIndex] = useState(0);
  const [isPaused, setPaused] = useState(false);

  const fail = useEffectEvent((problem: "readAloud.noVoice" | "readAloud.failed") => {
    showToast(t(problem), { tone: "danger" });
    onClose();
  });
  useEffect(() => {
    let isUnmounted = false;
    void localVoices().then((found) => {
      if (isUnmounted) return;
      if (found.length === 0) fail("readAloud.noVoice");
      else setVoices(found);
    });
    return () => {
      isUnmounted = true;
      mark(undefined);
      document.querySelector("[data-read-aloud]")?.removeAttribute("data-read-aloud");
    };
  }, []);

  const bar = useRef<HTMLDivElement>(null);
  useFocusWithin(bar);

  const finish = useEffectEvent(onClose);
  useEffect(() => {
    if (voices === undefined || isPaused) return undefined;
    let isStopped = false;
    let timer = 0;
    const read = () => {
      const article = document.querySelector(`[data-message-id="${messageId}"]`);
      // Keeps the answer rendered while it is far from the window.
      article?.toggleAttribute("data-read-aloud", true);
      const isWriting = article?.getAttribute("aria-busy") === "true";
      const sentences = article === null ? [] : sentencesOf(article);
      const sentence = sentences[index];
      if (article === null || (isWriting && index >= sentences.length - 1)) {
        // It is not rendered at the moment, or its last sentence may go on.
        timer = window.setTimeout(read, waitMs);
        return;
      }
      if (sentence === undefined) {
        finish();
        return;
      }
      mark(sentence.range);
      // A paragraph that grows is another text for the browser, which forgets the places in it.
      if (isWriting) timer = window.setInterval(() => mark(sentencesOf(article)[index]?.range), waitMs);
      const utterance = new SpeechSynthesisUtterance(sentence.text);
      utterance.voice = voiceFor(sentence.text, voices);
      if (utterance.voice !== null) utterance.lang = utterance.voice.lang;
      utterance.addEventListener("end", () => {
        if (!isStopped) setIndex(index + 1);
      });
      utterance.addEventListener("error", () => {
        if (!isStopped) fail("readAloud.failed");
      });
      speechSynthesis.speak(utterance);
    };
    read();
    return () => {
      isStopped = true;
      // Clears timeouts too.
      clearInterval(timer);
      // Pausing an utterance works in few browsers. Its sentence is read again.
      speechSynthesis.cancel();
    };
  }, [voices, index, isPaused, messageId]);

  return (
    <div ref={bar} role="group" aria-label={t("readAloud.start")} className={styles["bar"]}>
      <IconButton
        icon={isPaused ? Play : Pause}
        size={16}
        label={t(isPaused ? "readAloud.resume" : "readAloud.pause")}
        onClick={() => setPaused(!isPaused)}
      />
      <IconButton
        icon={SkipForward}
        size={16}
        label={t("readAloud.next")}
        onClick={() => setIndex(index + 1)}
      />
      <IconButton icon={X} size={16} label={t("readAloud.stop")} onClick={onClose} />
    </div>
  );
}

/** Focuses the first button, and at the end what had the focus before, or the message field. */
function useFocusWithin(bar: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    const previous = document.activeElement;
    element?.querySelector("button")?.focus();
    return () => {
      if (element?.contains(document.activeElement) !== true) return;
      if (previous instanceof HTMLElement && previous !== document.body && previous.isConnected)
        previous.focus({ preventScroll: true });
      else focusComposer();
    };
  }, [bar]);
}

/** Browsers without highlights read without a mark. */
function mark(range: Range | undefined): void {
  if (typeof Highlight === "undefined") return;
  if (range === undefined) CSS.highlights.delete(highlight);
  else CSS.highlights.set(highlight, new Highlight(range));
}

/** Browsers load the list after the first question for it. */
const voicesMaxMs = 2_000;

/**
 * The voices of this device. Others send the text to a service of the browser's maker, and are never used.
 */
async function localVoices(): Promise<SpeechSynthesisVoice[]> {
  const list = () => speechSynthesis.getVoices().filter(({ localService }) => localService);
  if (speechSynthesis.getVoices().length > 0) return list();
  await new Promise((resolve) => {
    speechSynthesis.addEventListener("voiceschanged", resolve, { once: true });
    setTimeout(resolve, voicesMaxMs);
  });
  return list();
}

/** A voice for the language of a text, else the default one. */
function voiceFor(text: string, voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | null {
  const language = languageOf(text);
  const speaking = voices.filter(({ lang }) => lang.split(/[-_]/)[0] === language);
  const fitting = speaking.length > 0 ? speaking : voices;
  return fitting.find((voice) => voice.default) ?? fitting[0] ?? null;
}
