import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import Trash from "lucide-react/icons/trash-2";
import { failureOf } from "#web/data/failure.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button } from "#web/ui/button.tsx";
import { Confirm } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./data-section.module.css";

/** Everything that somebody has here, deleted for good once they were asked. */
export function EraseRow() {
  const { call, resetUserData } = useServices();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);

  async function erase() {
    setAsked(false);
    setBusy(true);
    try {
      const { threads } = await call("erasure.everything", {});
      await navigate({ to: "/" });
      await resetUserData();
      showToast(t("data.erased", { count: threads }));
    } catch (error) {
      showToast(failureOf(error).message, { tone: "loss" });
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={styles["row"]}>
      <h3 className={styles["name"]}>{t("data.erase")}</h3>
      <p className={styles["hint"]}>{t("data.eraseHint")}</p>
      <Button icon={Trash} className={styles["deed"]} disabled={isBusy} onClick={() => setAsked(true)}>
        {t("data.eraseDo")}
      </Button>
      {isAsked && (
        <Confirm
          text={t("data.eraseAsk")}
          label={t("data.erase")}
          cancelLabel={t("message.editCancel")}
          onCancel={() => setAsked(false)}
          onConfirm={() => void erase()}
        />
      )}
    </div>
  );
}
