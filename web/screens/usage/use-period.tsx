import { useState } from "react";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./usage-page.module.css";

const periods = ["7", "30", "90", "365"] as const;
type Period = (typeof periods)[number];

/** The number of days that a person wants to see, and the field to choose it. */
export function usePeriod() {
  const [period, setPeriod] = useState<Period>("30");
  const choice = (
    <div className={styles["choices"]}>
      <RadioGroup<Period>
        legend={t("usage.period")}
        value={period}
        onChange={setPeriod}
        options={periods.map((value) => ({
          value,
          label:
            value === "365" ? t("usage.months", { count: 12 }) : t("usage.days", { count: Number(value) }),
        }))}
      />
    </div>
  );
  return { days: Number(period), choice };
}
