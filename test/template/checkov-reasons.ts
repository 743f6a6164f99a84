interface Reason {
  readonly reason: string;
  /** Logical ids that it holds for. Default: all. */
  readonly resources?: readonly string[];
}

/** Findings of checkov on the expanded template that are as they should be, by the check's id. */
export const reasons: Readonly<Record<string, Reason>> = {
  CKV_AWS_18: {
    reason:
      'Access logs of a bucket need a bucket of their own. Who wants them names one; the trail logs data events.',
    resources: ['ArchiveBucket', 'PropagateFailureBucket', 'ArchiveFailureBucket'],
  },
  CKV_AWS_115: {
    reason:
      'Stream functions are bounded by shards and ParallelizationFactor, FanOut by its MaximumConcurrency, Sweep, Verify and Heartbeat by their schedules: reserved concurrency would take a small account more than it has.',
    resources: ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'],
  },
  CKV_AWS_116: {
    reason:
      "A function's dead-letter queue is for asynchronous invocations. These are invoked by mappings, which have theirs; a run of Sweep, Verify or Heartbeat that is lost is made up for by the next.",
    resources: ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'],
  },
  CKV_AWS_117: {
    reason:
      'The functions speak to DynamoDB, SQS and S3 only, by TLS and IAM. A VPC would add endpoints to pay for.',
    resources: ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'],
  },
  CKV_AWS_119: {
    reason:
      'Encrypted with the key that DynamoDB owns, unless TableKmsKeyArn names another: a key in KMS is billed by request.',
    resources: ['Table'],
  },
  CKV_AWS_173: {
    reason: 'The environment holds names and limits, no secret, and is encrypted by Lambda.',
    resources: ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'],
  },
};
