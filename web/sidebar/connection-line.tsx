import { useConnection } from "#web/data/sync/connection.ts";
import { useLastingValue } from "#web/lib/use-lasting-value.ts";
import { RunningIndicator } from "#web/ui/running-indicator.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./connection-line.module.css";

/** 1.5 s: shorter interruptions are not shown. */
const graceMs = 1_500;

/** Shows that the connection to the server is lost. `isShort`: a short text for narrow places. */
export function ConnectionLine({ isShort = false }: { isShort?: boolean }) {
  const connection = useLastingValue(useConnection(), "online", graceMs);
  return (
    <p role="status" className={styles["line"]}>
      {connection === "connecting" && (
        <>
          <RunningIndicator tone="waiting" /> {t("connection.connecting")}
        </>
      )}
      {connection === "offline" && t(isShort ? "connection.offlineShort" : "connection.offline")}
    </p>
  );
}
