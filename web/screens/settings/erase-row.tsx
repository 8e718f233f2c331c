import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import Trash from "lucide-react/icons/trash-2";
import { failureOf } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { Confirm } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./data-page.module.css";

/** Deletes all data of the person after a confirmation. */
export function EraseRow() {
  const { call, resetUserData } = useServices();
  const navigate = useNavigate();
  const [isConfirming, setConfirming] = useState(false);
  const [isBusy, setBusy] = useState(false);

  async function erase() {
    setConfirming(false);
    setBusy(true);
    try {
      const { threads } = await call("erasure.everything", {});
      await navigate({ to: "/" });
      await resetUserData();
      showToast(t("data.erased", { count: threads }));
    } catch (error) {
      showToast(failureOf(error).message, { tone: "danger" });
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={styles["row"]}>
      <h2 className={styles["name"]}>{t("data.erase")}</h2>
      <p className={styles["hint"]}>{t("data.eraseHint")}</p>
      <Button icon={Trash} className={styles["action"]} disabled={isBusy} onClick={() => setConfirming(true)}>
        {t("data.eraseDo")}
      </Button>
      {isConfirming && (
        <Confirm
          text={t("data.eraseAsk")}
          label={t("data.erase")}
          cancelLabel={t("action.cancel")}
          onCancel={() => setConfirming(false)}
          onConfirm={() => void erase()}
        />
      )}
    </div>
  );
}
