export { metricNames } from './metric-names';
export { askedOfPrometheus, OF_OTHERS, recordedNames } from './monitoring-files';
