import { useNavigate } from "@tanstack/react-router";
import Trash from "lucide-react/icons/trash-2";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./data-page.module.css";

/** Deletes all data of the person after a confirmation. */
export function EraseRow() {
  const { call, resetUserData } = useServices();
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirmation();
  const erase = () =>
    confirm({
      text: t("data.eraseAsk"),
      label: t("data.erase"),
      async run() {
        const { threads } = await call("erasure.everything", {});
        await navigate({ to: "/" });
        await resetUserData();
        return t("data.erased", { count: threads });
      },
    });
  return (
    <div className={styles["row"]}>
      <h2 className="text-3 bold">{t("data.erase")}</h2>
      <p className={styles["hint"]}>{t("data.eraseHint")}</p>
      <Button icon={Trash} className={styles["action"]} onClick={erase}>
        {t("data.eraseDo")}
      </Button>
      {dialog}
    </div>
  );
}
