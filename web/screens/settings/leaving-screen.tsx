import { useServices } from "#web/data/provider.tsx";
import { useSession } from "#web/data/session/session.ts";
import { signOut } from "#web/data/session/sign-out.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { ExportRow } from "./export-row.tsx";
import styles from "./data-page.module.css";

/** `/leaving`: for people whose account an administrator has deleted, until it is gone. */
export function LeavingScreen() {
  const { session } = useServices();
  const deletesAt = useSession().me?.deletes_at;
  return (
    <Page title={t("leaving.title")}>
      <div className={styles["rows"]}>
        {deletesAt != null && <p>{t("leaving.what", { day: printDay(new Date(deletesAt)) })}</p>}
        <ExportRow />
        <div>
          <Button onClick={() => void signOut(session.signInWith).catch(showFailure)}>
            {t("account.signOut")}
          </Button>
        </div>
      </div>
    </Page>
  );
}
