import { AgentAnalysisInput, AgentHabit } from '../agent/habit-inputs';
import { componentOf, componentSchemas } from './open-api';

const schemas = componentSchemas([AgentAnalysisInput], { closed: true });

describe('schemas as components', () => {
  it('have the names of their classes, with those they are made of', () => {
    expect(Object.keys(schemas).sort()).toEqual(['AgentAnalysisInput', 'AgentHabit']);
    expect(schemas['AgentAnalysisInput']).not.toHaveProperty('$defs');
  });

  it('refer to one another within the document', () => {
    const { habits } = schemas['AgentAnalysisInput']!.properties!;
    expect(habits!.items).toEqual(componentOf(AgentHabit));
    expect(componentOf(AgentHabit)).toEqual({ $ref: '#/components/schemas/AgentHabit' });
  });

  it('are written in standard keywords', () => {
    expect(JSON.stringify(schemas)).not.toMatch(/trimmedLength|\$schema/);
    expect(schemas['AgentHabit']!.properties!['name']).toMatchObject({ type: 'string', pattern: expect.any(String) });
  });
});
