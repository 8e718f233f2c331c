import { Link } from "@tanstack/react-router";
import { useSession } from "#web/data/session/session.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./connect-model.module.css";

/** Why to create an account or to go on without one, in a new chat of an owner who has no account. */
export function CreateAccount() {
  const { me } = useSession();
  const [isWithout, setWithout] = usePreference("withoutAccount");
  if (me?.role !== "owner" || me.email !== null || isWithout) return null;
  return (
    <aside className={styles["card"]}>
      <p className="bold">{t("account.create")}</p>
      <p className={styles["text"]}>{t("account.createWhy")}</p>
      <div className={styles["actions"]}>
        <Link to="/sign-up" className={styles["link"]}>
          {t("account.create")}
        </Link>
        <Button look="plain" onClick={() => setWithout(true)}>
          {t("account.goOn")}
        </Button>
      </div>
    </aside>
  );
}
