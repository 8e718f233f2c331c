import type { Failure } from "#web/data/failure.ts";
import { Notice } from "#web/ui/notice.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { t } from "#web/i18n/translate.ts";

/** A file that is not loaded yet, or could not be. */
export function LoadingFile({ failure, retry }: { failure: Failure | undefined; retry(): void }) {
  if (failure !== undefined)
    return (
      <Notice
        tone="danger"
        title={t("file.previewFailed")}
        text={failure.message}
        action={{ label: t("action.retry"), run: retry }}
      />
    );
  return (
    <Skeleton label={t("file.previewLoading")}>
      <SkeletonLine width={92} />
      <SkeletonLine width={100} />
      <SkeletonLine width={71} />
    </Skeleton>
  );
}
