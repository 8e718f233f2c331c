import { useConnection } from "#web/data/sync/connection.ts";
import { useLasting } from "#web/lib/use-lasting-value.ts";
import { Pulse } from "#web/ui/pulse.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./connection-line.module.css";

/** 1.5 s: a line that is back by then was never missed. */
const patienceMs = 1_500;

/** Says when the line to the server is down, and nothing while all is well. `isShort` where there is little room. */
export function ConnectionLine({ isShort = false }: { isShort?: boolean }) {
  const connection = useLasting(useConnection(), "online", patienceMs);
  return (
    <p role="status" className={styles["line"]}>
      {connection === "connecting" && (
        <>
          <Pulse tone="waiting" /> {t("connection.connecting")}
        </>
      )}
      {connection === "offline" && t(isShort ? "connection.offlineShort" : "connection.offline")}
    </p>
  );
}
