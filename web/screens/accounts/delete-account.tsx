import { inApp } from "#web/lib/base-path.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";
import { useConfirmedIdentity } from "./confirm-identity.tsx";
import styles from "./accounts.module.css";

/** Deletes the person's account in seven days, after a confirmation. */
export function DeleteAccount() {
  const { call } = useServices();
  const { confirm, dialog } = useConfirmation();
  const { confirmed, dialog: identityDialog } = useConfirmedIdentity();

  async function remove(): Promise<undefined> {
    const isDone = await confirmed(async () => void (await call("accounts.remove", {})));
    // Loads the page again, so that nothing of this person stays in its memory.
    if (isDone) location.assign(inApp("/sign-in"));
  }

  return (
    <section className={styles["section"]}>
      <h2 className={styles["heading"]}>{t("account.delete")}</h2>
      <p className={styles["about"]}>{t("account.deleteWhat")}</p>
      <Button
        onClick={() => confirm({ text: t("account.deleteAsk"), label: t("account.delete"), run: remove })}
      >
        {t("account.deleteDo")}
      </Button>
      {dialog}
      {identityDialog}
    </section>
  );
}
