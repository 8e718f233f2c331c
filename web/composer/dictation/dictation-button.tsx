import { useEffect, useRef, useState } from "react";
import { useAui } from "@assistant-ui/react";
import Mic from "lucide-react/icons/mic";
import { useServices } from "#web/data/provider.tsx";
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
      <span role="status" className="visually-hidden">
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
  const { outbox } = useServices();
  const running = useRef<Recognizer>(undefined);
  const [isListening, setListening] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const isStarting = useRef(false);
  const isGone = useRef(false);

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
      if (text !== undefined) showToast(text, { tone: "danger" });
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
    try {
      const recognizer = await localRecognizer(() => showToast(t("dictation.installing"), { about }));
      if (isGone.current) return;
      if (recognizer === undefined) {
        setMissing(true);
        showToast(t("dictation.missing"), { about });
      } else if (recognizer === "failed") showToast(t("dictation.notInstalled"), { about, tone: "danger" });
      else listen(recognizer);
    } catch {
      abort();
      showToast(t("dictation.failed"), { about, tone: "danger" });
    } finally {
      isStarting.current = false;
    }
  }
  function stop(): void {
    running.current?.stop();
  }
  function abort(): void {
    const recognizer = running.current;
    running.current = undefined;
    setListening(false);
    recognizer?.abort();
  }

  // A message is sent.
  useEffect(() => {
    let known = outbox.all.get();
    return outbox.all.subscribe(() => {
      const now = outbox.all.get();
      if (now.some(({ runId }) => !known.some((entry) => entry.runId === runId))) abort();
      known = now;
    });
  }, [outbox]);
  // Another chat is opened.
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      running.current?.abort();
    };
  }, []);
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
