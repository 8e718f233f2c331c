import { useRef, useSyncExternalStore } from "react";
import Upload from "lucide-react/icons/upload";
import { peopleImporterOf, type PeopleImportState } from "#web/data/admin/people-import.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { printBytes, printNumber, t } from "#web/i18n/translate.ts";
import { Page } from "../../page.tsx";
import { ImportSummary } from "./import-summary.tsx";
import { WaitingPeople } from "./waiting-people.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./people-import.module.css";

/** `/admin/import`: brings everybody of another product's server, and lists those who have not come yet. */
export function PeopleImportPage() {
  const importer = peopleImporterOf(useServices().loadTransfers);
  const state = useSyncExternalStore(importer.state.subscribe, importer.state.get);
  const field = useRef<HTMLInputElement>(null);
  const isBusy = state.state === "sending" || state.state === "reading";
  const choose = () => field.current?.click();
  return (
    <Page title={t("peopleImport.title")}>
      <p className={screenStyles["about"]}>{t("peopleImport.about")}</p>
      {/* The buttons open the file dialog of this hidden input. */}
      <input
        ref={field}
        type="file"
        accept=".zip,.db,application/zip"
        aria-label={t("peopleImport.choose")}
        tabIndex={-1}
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file !== undefined) void importer.preview(file);
        }}
      />
      {state.state === "none" && (
        <div className={styles["progress"]}>
          <p className="text-3 ink-soft">{t("peopleImport.which")}</p>
          <Button icon={Upload} onClick={choose}>
            {t("peopleImport.choose")}
          </Button>
        </div>
      )}
      {isBusy && <Progress state={state} onStop={importer.stop} />}
      <div role="status">
        {state.state !== "none" && !isBusy && (
          <ImportSummary state={state}>
            {state.state === "previewed" && (
              <>
                <Button look="strong" onClick={() => void importer.start()}>
                  {t("peopleImport.start")}
                </Button>
                <Button onClick={importer.clear}>{t("action.cancel")}</Button>
              </>
            )}
            {state.state !== "previewed" && (
              <Button icon={Upload} onClick={choose}>
                {t("peopleImport.chooseAnother")}
              </Button>
            )}
          </ImportSummary>
        )}
      </div>
      <WaitingPeople key={state.state === "done" || state.state === "stopped" ? "after" : "before"} />
    </Page>
  );
}

type Busy = Extract<PeopleImportState, { state: "sending" | "reading" }>;

function Progress({ state, onStop }: { state: Busy; onStop(): void }) {
  const { value, max } = amountOf(state);
  const text = textOf(state);
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
      <Button onClick={onStop}>{t("action.stop")}</Button>
    </div>
  );
}

/** Chats are what takes time; a server without any has only people. */
function amountOf(state: Busy): { value: number; max: number | undefined } {
  if (state.state === "sending") return { value: state.sentBytes, max: state.sizeBytes };
  const { read, all } = state;
  return { value: read.threads + read.people, max: all && all.threads + all.people };
}

function textOf(state: Busy): string {
  const { name } = state;
  if (state.state === "sending")
    return t("peopleImport.sending", {
      name,
      sent: printBytes(state.sentBytes),
      size: printBytes(state.sizeBytes),
    });
  if (state.all === undefined) return t("peopleImport.opening", { name });
  return t(state.isPreview ? "peopleImport.checking" : "peopleImport.importing", {
    people: printNumber(state.read.people),
    allPeople: printNumber(state.all.people),
    threads: printNumber(state.read.threads),
    allThreads: printNumber(state.all.threads),
  });
}
