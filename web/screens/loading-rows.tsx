import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "#web/selection/row-list.module.css";

/** A placeholder for a list that is loading. */
export function LoadingRows({ label = t("sidebar.loading") }: { label?: string }) {
  return (
    <Skeleton label={label}>
      <div className={styles["skeleton"]}>
        {[62, 80, 54, 71].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
    </Skeleton>
  );
}
