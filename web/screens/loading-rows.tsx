import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/words/words.ts";
import styles from "#web/selection/row-list.module.css";

/** What stands in for a list of threads that is on its way. */
export function LoadingRows() {
  return (
    <Skeleton label={t("sidebar.loading")}>
      <div className={styles["skeleton"]}>
        {[62, 80, 54, 71].map((width) => (
          <SkeletonLine key={width} width={width} />
        ))}
      </div>
    </Skeleton>
  );
}
