import { useEffect, useRef, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import Mic from "lucide-react/icons/mic";
import { IconButton } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import { createDictatedText } from "./dictated-text.ts";
import { knowsLocalRecognizers, localRecognizer, type Recognizer, type ResultEvent } from "./recognizer.ts";
import styles from "./dictation.module.css";

/**
 * Writes what the person says into the message, with a recognizer on the device. Nothing in browsers that know none, and
 * after this one has said that it has none.
 */
export function DictationButton() {
  const { isMissing, isListening, start, stop } = useDictation();
  if (!knowsLocalRecognizers || isMissing) return null;
  return (
    <>
      <span role="status" className="unseen">
        {isListening && t("dictation.listening")}
      </span>
      <IconButton
        icon={Mic}
        label={t(isListening ? "dictation.stop" : "dictation.start")}
        {...(isListening ? { keys: "Esc" } : {})}
        data-listening={isListening || undefined}
        className={styles["microphone"]}
        // The field keeps its cursor.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => (isListening ? stop() : void start())}
      />
    </>
  );
}

function useDictation() {
  const aui = useAui();
  const isEmpty = useAuiState((s) => s.composer.isEmpty);
  const running = useRef<Recognizer>(undefined);
  const [isListening, setListening] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const isStarting = useRef(false);

  function listen(created: Recognizer): void {
    const field = composerField();
    const { text } = aui.composer.getState();
    const isField = field instanceof HTMLTextAreaElement;
    const dictated = createDictatedText({
      text,
      from: isField ? field.selectionStart : text.length,
      to: isField ? field.selectionEnd : text.length,
    });
    created.addEventListener("result", (event) => {
      if (running.current === created)
        aui.composer.setText(dictated(aui.composer.getState().text, (event as ResultEvent).results));
    });
    created.addEventListener("error", (event) => {
      const text = failureText((event as Event & { error?: string }).error);
      if (text !== undefined) showToast(text, { tone: "loss" });
    });
    created.addEventListener("end", () => {
      if (running.current !== created) return;
      running.current = undefined;
      setListening(false);
    });
    running.current = created;
    setListening(true);
    created.start();
    field?.focus({ preventScroll: true });
  }
  async function start(): Promise<void> {
    if (isStarting.current) return;
    isStarting.current = true;
    const about = isStarting;
    const recognizer = await localRecognizer(() => showToast(t("dictation.installing"), { about }));
    isStarting.current = false;
    if (recognizer === undefined) {
      setMissing(true);
      showToast(t("dictation.missing"), { about });
    } else if (recognizer === "failed") showToast(t("dictation.notInstalled"), { about, tone: "loss" });
    else listen(recognizer);
  }
  function stop(): void {
    running.current?.stop();
  }
  function abort(): void {
    running.current?.abort();
    running.current = undefined;
    setListening(false);
  }

  // The message was sent, or another chat was opened.
  const hadText = useRef(false);
  useEffect(() => {
    if (isEmpty && hadText.current) abort();
    hadText.current = !isEmpty;
  }, [isEmpty]);
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    if (!isListening) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      stop();
    };
    const onHide = () => {
      if (document.hidden) stop();
    };
    addEventListener("keydown", onKey, { capture: true });
    document.addEventListener("visibilitychange", onHide);
    return () => {
      removeEventListener("keydown", onKey, { capture: true });
      document.removeEventListener("visibilitychange", onHide);
    };
  }, [isListening]);
  return { isMissing, isListening, start, stop };
}

function failureText(error: string | undefined): string | undefined {
  switch (error) {
    // The person stopped, or said nothing.
    case "aborted":
    case "no-speech":
      return undefined;
    case "not-allowed":
    case "service-not-allowed":
      return t("dictation.notAllowed");
    case "audio-capture":
      return t("dictation.noMicrophone");
    default:
      return t("dictation.failed");
  }
}
