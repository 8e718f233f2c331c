import { useState } from "react";
import Download from "lucide-react/icons/download";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { failureOf } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { printBytes, t } from "#web/i18n/translate.ts";
import styles from "./data-page.module.css";

/** Downloads everything that the person has here. */
export function ExportRow() {
  const { loadTransfers } = useServices();
  const [running, setRunning] = useState<AbortController>();
  const [status, setStatus] = useState<{ text: () => string; tone?: "danger" }>();

  async function start() {
    const controller = new AbortController();
    setRunning(controller);
    setStatus({ text: () => t("data.exporting", { size: printBytes(0) }) });
    try {
      const onProgress = (bytes: number) =>
        setStatus({ text: () => t("data.exporting", { size: printBytes(bytes) }) });
      const { download } = await loadTransfers();
      const file = await download("everything", onProgress, controller.signal);
      saveFile(file);
      setStatus({ text: () => t("data.exported", { size: printBytes(file.blob.size) }) });
    } catch (error) {
      setStatus(
        controller.signal.aborted ? undefined : { text: () => failureOf(error).message, tone: "danger" },
      );
    } finally {
      setRunning(undefined);
    }
  }

  return (
    <div className={styles["row"]}>
      <h2 className="text-3 bold">{t("data.export")}</h2>
      <p className={styles["hint"]}>{t("data.exportHint")}</p>
      {running === undefined ? (
        <Button icon={Download} className={styles["action"]} onClick={() => void start()}>
          {t("data.exportDo")}
        </Button>
      ) : (
        <Button className={styles["action"]} onClick={() => running.abort()}>
          {t("action.stop")}
        </Button>
      )}
      <p role="status" data-tone={status?.tone} className={styles["said"]}>
        {status?.text()}
      </p>
    </div>
  );
}
