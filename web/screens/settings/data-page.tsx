import { useRef, useSyncExternalStore } from "react";
import Upload from "lucide-react/icons/upload";
import { importerOf, type ImportState } from "#web/data/transfer/import-state.ts";
import { useServices } from "#web/data/provider.tsx";
import { useCan } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { printBytes, t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { EraseRow } from "./erase-row.tsx";
import { ExportRow } from "./export-row.tsx";
import { ImportSources } from "./import-sources.tsx";
import { ImportReport } from "./import-report.tsx";
import { OperatorExports } from "./operator-exports.tsx";
import styles from "./data-page.module.css";

/** `/settings/data`: export, import and deletion of a person's data. */
export function DataPage() {
  const mayImport = useCan("files.upload") !== false;
  return (
    <Page title={t("data.title")}>
      <div className={styles["rows"]}>
        <ExportRow />
        {mayImport && <ImportRow />}
        <OperatorExports />
        <EraseRow />
      </div>
    </Page>
  );
}

function ImportRow() {
  const importer = importerOf(useServices().loadTransfers);
  const state = useSyncExternalStore(importer.state.subscribe, importer.state.get);
  const field = useRef<HTMLInputElement>(null);
  const busy = state.state === "sending" || state.state === "reading" ? state : undefined;
  return (
    <div className={styles["row"]}>
      <h2 className="text-3 bold">{t("data.import")}</h2>
      <p className={styles["hint"]}>{t("data.importHint")}</p>
      <ImportSources />
      {busy !== undefined ? (
        <Button className={styles["action"]} onClick={importer.stop}>
          {t("action.stop")}
        </Button>
      ) : (
        <Button icon={Upload} className={styles["action"]} onClick={() => field.current?.click()}>
          {t(state.state === "none" ? "data.importDo" : "data.importAnother")}
        </Button>
      )}
      {/* The button above opens the file dialog of this hidden input. */}
      <input
        ref={field}
        type="file"
        accept=".zip,.json,.db,.archive,.gz,application/zip,application/json"
        aria-label={t("data.importDo")}
        tabIndex={-1}
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file !== undefined) void importer.preview(file);
        }}
      />
      {busy !== undefined && <Progress state={busy} />}
      <div role="status" className={styles["said"]}>
        {state.state !== "none" && state.state !== "sending" && state.state !== "reading" && (
          <ImportReport state={state} />
        )}
        {state.state === "previewed" && (
          <div className={styles["choice"]}>
            <Button look="strong" onClick={() => void importer.start()}>
              {t("data.importStart")}
            </Button>
            <Button onClick={importer.clear}>{t("action.cancel")}</Button>
          </div>
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
  const text = progressText(state);
  return (
    <div className={styles["progress"]}>
      <progress
        aria-label={text}
        className={styles["bar"]}
        {...(max === undefined ? {} : { value, max: Math.max(max, 1) })}
      />
      <p dir="auto" className="anywhere text-2 ink-faint figures">
        {text}
      </p>
    </div>
  );
}

function progressText(state: Extract<ImportState, { state: "sending" | "reading" }>): string {
  const { name } = state;
  if (state.state === "sending")
    return t("data.sending", { name, sent: printBytes(state.sentBytes), size: printBytes(state.sizeBytes) });
  const { kind, read, all } = state;
  if (kind === undefined) return t("data.opening", { name });
  return all === undefined
    ? t("data.readingOn", { count: read, name })
    : t("data.reading", { count: read, all, name });
}
