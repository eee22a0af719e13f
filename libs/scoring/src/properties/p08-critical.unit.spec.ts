import { scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aTask } from './summaries.fixture';

describe('P8', () => {
  it('never lowers severity or priority of a critical task, and raises both strictly inside 0 and 1', () => {
    forEachOf(aTask, (task) => {
      const ordinary = scoreTask({ ...task, critical: false });
      const critical = scoreTask({ ...task, critical: true });
      // Closer to the ends than this the raise may round away.
      const inside = ordinary.severity > 0.0005 && ordinary.severity < 0.9995;
      return inside
        ? critical.severity > ordinary.severity && critical.priority > ordinary.priority
        : critical.severity >= ordinary.severity && critical.priority >= ordinary.priority;
    });
  });

  it('reads absent as not critical', () => {
    forEachOf(aTask, (task) => {
      const absent = JSON.stringify(scoreTask({ ...task, critical: undefined }));
      return absent === JSON.stringify(scoreTask({ ...task, critical: false }));
    });
  });
});
