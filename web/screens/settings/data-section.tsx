import { useRef, useState, useSyncExternalStore } from "react";
import Download from "lucide-react/icons/download";
import Upload from "lucide-react/icons/upload";
import { saveFile } from "#web/data/transfer/transfer.ts";
import { failureOf } from "#web/data/failure.ts";
import type { ImportState } from "#web/data/transfer/import-state.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { printBytes, t } from "#web/i18n/translate.ts";
import { EraseRow } from "./erase-row.tsx";
import { ImportReport } from "./import-report.tsx";
import styles from "./data-section.module.css";
import settings from "./settings-screen.module.css";

/** What somebody has here: taken out, and brought in. */
export function DataSection() {
  return (
    <section aria-labelledby="data">
      <h2 id="data" className={settings["legend"]}>
        {t("data.title")}
      </h2>
      <div className={styles["rows"]}>
        <ExportRow />
        <ImportRow />
        <EraseRow />
      </div>
    </section>
  );
}

function ExportRow() {
  const { transfers } = useServices();
  const [stopping, setStopping] = useState<AbortController>();
  const [said, setSaid] = useState<{ text: () => string; tone?: "loss" }>();

  async function begin() {
    const own = new AbortController();
    setStopping(own);
    setSaid({ text: () => t("data.exporting", { size: printBytes(0) }) });
    try {
      const told = (bytes: number) =>
        setSaid({ text: () => t("data.exporting", { size: printBytes(bytes) }) });
      const file = await transfers.download("everything", told, own.signal);
      saveFile(file);
      setSaid({ text: () => t("data.exported", { size: printBytes(file.blob.size) }) });
    } catch (error) {
      setSaid(own.signal.aborted ? undefined : { text: () => failureOf(error).message, tone: "loss" });
    } finally {
      setStopping(undefined);
    }
  }

  return (
    <div className={styles["row"]}>
      <h3 className={styles["name"]}>{t("data.export")}</h3>
      <p className={styles["hint"]}>{t("data.exportHint")}</p>
      {stopping === undefined ? (
        <Button icon={Download} className={styles["deed"]} onClick={() => void begin()}>
          {t("data.exportDo")}
        </Button>
      ) : (
        <Button className={styles["deed"]} onClick={() => stopping.abort()}>
          {t("data.stop")}
        </Button>
      )}
      <p role="status" data-tone={said?.tone} className={styles["said"]}>
        {said?.text()}
      </p>
    </div>
  );
}

function ImportRow() {
  const { importer } = useServices();
  const state = useSyncExternalStore(importer.state.subscribe, importer.state.get);
  const field = useRef<HTMLInputElement>(null);
  const busy = state.state === "sending" || state.state === "reading" ? state : undefined;
  return (
    <div className={styles["row"]}>
      <h3 className={styles["name"]}>{t("data.import")}</h3>
      <p className={styles["hint"]}>{t("data.importHint")}</p>
      {busy !== undefined ? (
        <Button className={styles["deed"]} onClick={importer.stop}>
          {t("data.stop")}
        </Button>
      ) : (
        <Button icon={Upload} className={styles["deed"]} onClick={() => field.current?.click()}>
          {t(state.state === "none" ? "data.importDo" : "data.importAnother")}
        </Button>
      )}
      {/* The button before it is what people use; this only opens the system's own box. */}
      <input
        ref={field}
        type="file"
        accept=".zip,.json,application/zip,application/json"
        aria-label={t("data.importDo")}
        tabIndex={-1}
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file !== undefined) void importer.start(file);
        }}
      />
      {busy !== undefined && <Progress state={busy} />}
      <div role="status" className={styles["said"]}>
        {state.state !== "none" && state.state !== "sending" && state.state !== "reading" && (
          <ImportReport state={state} />
        )}
      </div>
    </div>
  );
}

function Progress({ state }: { state: Extract<ImportState, { state: "sending" | "reading" }> }) {
  const { value, max } =
    state.state === "sending"
      ? { value: state.sentBytes, max: state.sizeBytes }
      : { value: state.read, max: state.all };
  const words = wordsOf(state);
  return (
    <div className={styles["progress"]}>
      <progress
        aria-label={words}
        className={styles["bar"]}
        {...(max === undefined ? {} : { value, max: Math.max(max, 1) })}
      />
      <p dir="auto" className={styles["count"]}>
        {words}
      </p>
    </div>
  );
}

function wordsOf(state: Extract<ImportState, { state: "sending" | "reading" }>): string {
  const { name } = state;
  if (state.state === "sending")
    return t("data.sending", { name, sent: printBytes(state.sentBytes), size: printBytes(state.sizeBytes) });
  const { kind, read, all } = state;
  if (kind === undefined) return t("data.opening", { name });
  return all === undefined
    ? t("data.readingOn", { count: read, name })
    : t("data.reading", { count: read, all, name });
}
